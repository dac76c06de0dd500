import { hash, timingSafeEqual } from 'node:crypto'
import { eventSecretHeader, type InfrastructureEvent, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import type { CloudAccountRow } from '../cloud-accounts/tables.ts'
import { runningOn } from '../deployments/store.ts'
import { deploymentService } from '../deployments/wake.ts'
import type { Db } from '../platform/db/open.ts'
import type { Engine } from '../platform/engine/client.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { type Relevance, relevanceOf } from './relevance.ts'
import { findReceivingAccount, keepEvent, listInfrastructureEvents } from './store.ts'
import type { InfrastructureEventRow } from './tables.ts'

/** Shows what connected cloud accounts told us. */
export function serveInfrastructureEvents(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.listInfrastructureEvents, async ({ query, caller, db }) => {
    const page = openPage(routes.listInfrastructureEvents, caller, query)
    return page.reply(await listInfrastructureEvents(db, caller.organizationId, query, page), toWire)
  })
}

type Parts = { db: Db; engine: Engine; clock: () => Date; log: Logger }

/** Takes in what connected cloud accounts tell us, and wakes the deployments that it may concern. */
export function receiveInfrastructureEvents(app: App, { db, engine, clock, log }: Parts): void {
  handle(app, routes.receiveCloudEvent, async ({ params, body, request }) => {
    const account = await findReceivingAccount(db, params.id)
    if (!account || !knowsSecret(account, request.headers[eventSecretHeader])) {
      throw new Refusal('eventSecretWrong', `Send the cloud account's event secret in the header ${eventSecretHeader}.`)
    }
    // Whoever holds the secret of one account must not speak for another.
    if (body.account !== account.cloudId) {
      throw new Refusal(
        'eventAccountWrong',
        `The event comes from the account ${body.account}, the secret from another.`,
      )
    }
    const relevance = relevanceOf(body)
    const isNew = await keepEvent(db, account, body, relevance?.resourceArn ?? null)
    if (isNew && relevance) await wakeConcerned(account.organizationId, relevance)
    return { data: { accepted: true as const } }
  })

  async function wakeConcerned(organizationId: string, { resourceArn, urgency }: Relevance): Promise<void> {
    for (const id of await runningOn(db, organizationId, resourceArn)) {
      await engine
        .send(deploymentService, id, 'advance', {}, urgency === 'now' ? {} : withTheOthersOf(id, clock()))
        .catch((error) => log.warn({ err: error, deployment: id }, 'an event could not wake it; its next look will do'))
    }
  }
}

/** Task events come in bursts: one look a second, taken after the second is over, sees them all. Milliseconds. */
const burstMs = 1_000
const withTheOthersOf = (id: string, now: Date) => ({
  delayMs: burstMs,
  idempotencyKey: `${id} ${Math.floor(now.getTime() / burstMs)}`,
})

function knowsSecret({ eventSecretHash }: CloudAccountRow, secret: string | string[] | undefined): boolean {
  if (eventSecretHash === null || typeof secret !== 'string') return false
  return timingSafeEqual(Buffer.from(eventSecretHash), Buffer.from(hash('sha256', secret, 'hex')))
}

const toWire = (row: InfrastructureEventRow): InfrastructureEvent => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  cloudAccountId: row.cloudAccountId,
  externalEventId: row.externalEventId,
  source: row.source,
  detailType: row.detailType,
  ...(row.resourceArn !== null && { resourceArn: row.resourceArn }),
  occurredAt: row.occurredAt.toISOString(),
  event: row.event,
})
