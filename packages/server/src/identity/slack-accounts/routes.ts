import { routes, type SlackAccount } from '@sluice/contract'
import { type Caller, mayDo } from '../../platform/auth/caller.ts'
import type { Secrets } from '../../platform/crypto/keys.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { present } from '../../platform/present.ts'
import { recordChange } from '../audit-events/record.ts'
import { claimsIn, type SlackLinkClaims } from './link-token.ts'
import {
  type AccountScope,
  insertSlackAccount,
  type LinkedAccount,
  listSlackAccounts,
  removeSlackAccount,
  type SlackPerson,
} from './store.ts'

const resourceType = 'slack-account'

type Parts = {
  /** Keys for signing link tokens. */
  slackLinkSecrets: Secrets
  clock: () => Date
}

/** Registers the routes with which members link their own Slack accounts, by a link that only they see in Slack. */
export function serveSlackAccounts(app: App, { slackLinkSecrets, clock }: Parts): void {
  const read = (caller: Caller, token: string): SlackLinkClaims => {
    rejectProgram(caller)
    const claims = claimsIn(slackLinkSecrets, token, clock())
    if (!claims) throw invalid('The link counts no more: press the button in Slack again for another.')
    if (claims.organizationId === caller.organizationId) return claims
    throw invalid('The link is of another organization than the one that you are signed in to: go there first.')
  }

  handle(app, routes.previewSlackLink, async ({ body: { data }, caller }) => {
    const { expiresAt, ...person } = read(caller, data.token)
    return { data: { ...personToWire(person), expiresAt } }
  })

  handle(app, routes.linkSlackAccount, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { slackTeam, slackTeamName, slackUser, slackUserName } = read(caller, data.token)
      const person = { slackTeam, slackTeamName, slackUser, slackUserName }
      const row = await insertSlackAccount(tx, caller, person)
      if (!row) throw taken()
      const details = { membershipId: caller.membershipId, ...personToWire(person) }
      const change = { action: 'slack-accounts.link', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire({ ...row, email: caller.email }) }
    }),
  )

  handle(app, routes.listSlackAccounts, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listSlackAccounts, caller, query)
    return page.reply(await listSlackAccounts(db, scopeOf(caller), query, page), toWire)
  })

  handle(app, routes.deleteSlackAccount, ({ params: { id }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removeSlackAccount(tx, scopeOf(caller), id)
      if (!row)
        throw new ApiError('slackAccountNotFound', `The linked account ${id} does not exist, or you may not see it.`)
      const before = { membershipId: row.membershipId, ...personToWire(row) }
      await recordChange(
        tx,
        { caller, request },
        { action: 'slack-accounts.unlink', resourceType, resourceId: id, before },
      )
    }),
  )
}

const scopeOf = (caller: Caller): AccountScope => ({
  organizationId: caller.organizationId,
  membershipId: mayDo(caller, 'memberships:write') ? undefined : caller.membershipId,
})

/** Rejects API keys, so that a stolen key cannot take over a person's identity in Slack. */
function rejectProgram({ authSource, principalType }: Caller): void {
  if (authSource === 'COOKIE' && principalType === 'MEMBERSHIP') return
  throw new ApiError('forbidden', 'Only a user who is signed in to the console can link a Slack account.')
}

const invalid = (why: string) => new ApiError('slackLinkInvalid', why)

const taken = () =>
  new ApiError('slackAccountTaken', 'You or this Slack account already have a link. Unlink it first.', {
    description:
      'Find yours in the console, in Settings, Slack. That of another member can be removed by that member or an owner.',
  })

const personToWire = ({ slackTeam, slackTeamName, slackUser, slackUserName }: SlackPerson) =>
  present({
    slackTeam,
    slackUser,
    slackTeamName: slackTeamName ?? undefined,
    slackUserName: slackUserName ?? undefined,
  })

const toWire = (row: LinkedAccount): SlackAccount => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  membershipId: row.membershipId,
  memberEmail: row.email,
  ...personToWire(row),
})
