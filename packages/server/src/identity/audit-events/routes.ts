import { Readable } from 'node:stream'
import { type AuditRetention, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { expectMoments } from '../../platform/http/moments.ts'
import { findEnd, type SignHead } from './heads.ts'
import { recordChange } from './record.ts'
import { effectiveDays, findOwnRetention, setOwnRetention } from './retention.ts'
import { listAuditEvents, readAuditEvents } from './store.ts'
import { type ChainedRow, lineToWire } from './wire.ts'

type Parts = { auditRetentionDays: number; signHead: SignHead; clock: () => Date }

export function serveAuditEvents(app: App, { auditRetentionDays, signHead, clock }: Parts): void {
  handle(app, routes.listAuditEvents, async ({ query, caller, db }) => {
    expectMoments(query)
    const page = app.openPage(routes.listAuditEvents, caller, query)
    return page.reply(await listAuditEvents(db, caller.organizationId, query, page), lineToWire)
  })

  handle(app, routes.exportAuditEvents, async ({ query, caller, db, reply }) => {
    expectMoments(query)
    reply.header('content-disposition', 'attachment; filename="audit-events.ndjson"')
    const lines = linesOf(readAuditEvents(db, caller.organizationId, query))
    return Readable.from(lines, { highWaterMark: 1 }) // does not read ahead of a slow client
  })

  handle(app, routes.getAuditHead, async ({ caller, db }) => ({
    data: signHead(await findEnd(db, caller.organizationId), clock()),
  }))

  const retentionOf = (organizationDays: number | null): { data: AuditRetention } => ({
    data: {
      effectiveDays: effectiveDays(auditRetentionDays, organizationDays),
      installationDays: auditRetentionDays,
      organizationDays,
    },
  })

  handle(app, routes.getAuditRetention, async ({ caller, db }) =>
    retentionOf(await findOwnRetention(db, caller.organizationId)),
  )

  handle(app, routes.setAuditRetention, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const before = { organizationDays: await findOwnRetention(tx, organizationId) }
      await setOwnRetention(tx, organizationId, data.organizationDays)
      const about = { action: 'audit-events.keep', resourceType: 'organization', resourceId: organizationId }
      await recordChange(tx, { caller, request }, { ...about, details: data, before })
      return retentionOf(data.organizationDays)
    }),
  )
}

async function* linesOf(found: AsyncIterable<ChainedRow[]>): AsyncGenerator<string> {
  for await (const rows of found) yield rows.map((row) => `${JSON.stringify(lineToWire(row))}\n`).join('')
}
