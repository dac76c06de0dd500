import { recordChange } from '../../identity/audit-events/record.ts'
import { memberships, users } from '../../identity/organizations/tables.ts'
import type { Secrets } from '../../platform/crypto/keys.ts'
import { eq } from '../../platform/db/drizzle.ts'
import type { Database } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { followChange } from '../notification-channels/change.ts'
import { loadChannel, lockReceiver, updateChannel } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { channelIn, unsubscribePath } from './unsubscribe-link.ts'

type Parts = Pick<Database, 'db' | 'ofOrganization'> & { unsubscribeSecrets: Secrets; clock: () => Date }
type Link = { Params: { token: string } }

/**
 * Serves unsubscribe links. Opening one changes nothing, because mail scanners open links; mail programs post the form
 * directly (RFC 8058).
 */
export function serveUnsubscribing(app: App, parts: Parts): void {
  app.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    // The link is sufficient, so the form is ignored.
    inner.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4096 }, async () => undefined)
    inner.get<Link>(`${unsubscribePath}:token`, async ({ params }, reply) => {
      const row = await mailOf(parts, params.token)
      return reply
        .code(row ? 200 : 404)
        .headers(headers)
        .send(page(row ? question : unknown))
    })
    inner.post<Link>(`${unsubscribePath}:token`, async ({ params, id: requestId, ip: ipAddress }, reply) => {
      const row = await mailOf(parts, params.token)
      if (row) await switchOff(parts, row, { requestId, ipAddress })
      return reply
        .code(row ? 200 : 404)
        .headers(headers)
        .send(page(row ? done : unknown))
    })
  })
}

type Row = NotificationChannelRow & { membershipId: string }

async function mailOf({ db, unsubscribeSecrets }: Parts, token: string): Promise<Row | undefined> {
  const id = channelIn(unsubscribeSecrets, token)
  const row = id === undefined ? undefined : await loadChannel(db, id)
  return row && row.membershipId !== null ? { ...row, membershipId: row.membershipId } : undefined
}

/** Disables a member's mail. Idempotent. */
const switchOff = (
  { ofOrganization, clock }: Parts,
  { organizationId, id, membershipId }: Row,
  from: { requestId: string; ipAddress: string },
): Promise<void> =>
  ofOrganization(organizationId).transaction(async (tx) => {
    const before = await lockReceiver(tx, organizationId, id)
    if (!before?.enabled) return
    const row = await updateChannel(tx, before, { enabled: false })
    await followChange(tx, row, { changed: {}, now: clock() })
    const [member] = await tx
      .select({ email: users.email })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(eq(memberships.id, membershipId))
    const actor = { actorType: 'MEMBERSHIP', actorId: membershipId, actorName: member?.email ?? membershipId } as const
    await recordChange(
      tx,
      { organizationId, ...actor, channel: 'API', ...from },
      {
        action: 'notification-settings.update',
        resourceType: 'membership',
        resourceId: membershipId,
        details: { enabled: false, by: 'a link in a mail' },
        before: { enabled: true },
      },
    )
  })

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

const question = `<h1>No more mail of this organization?</h1>
<p>Sluice writes to you about what you started, what waits for your approval and what is critical.</p>
<form method="post"><button>Stop it</button></form>`
const done = `<h1>No more mail</h1>
<p>Sluice writes to you no more about this organization. Settings, Email notifications switches it on again.</p>`
const unknown = `<h1>Nothing to stop</h1>
<p>This link is of no mail that Sluice sends. Copy it whole from the mail, or see Settings, Email notifications.</p>`

const page = (text: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 15vh auto; padding: 0 1rem }
button { font: inherit; padding: 0.5rem 1rem }
</style>
<main>${text}</main>
</html>
`
