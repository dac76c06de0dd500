import { hash, timingSafeEqual } from 'node:crypto'
import { eventSecretHeader, type InfrastructureEvent, routes } from '@sluice/contract'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import { createCredentialLookupCache } from '../../platform/auth/recently-found.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { expectMoments } from '../../platform/http/moments.ts'
import type { Intake } from './intake.ts'
import { matchOf } from './match.ts'
import { findInfrastructureEvent, findReceivingAccount, listInfrastructureEvents } from './store.ts'
import type { InfrastructureEventRow } from './tables.ts'

/** Serves the events of connected cloud accounts. */
export function serveInfrastructureEvents(app: App): void {
  handle(app, routes.listInfrastructureEvents, async ({ query, caller, db }) => {
    expectMoments(query)
    const page = app.openPage(routes.listInfrastructureEvents, caller, query)
    return page.reply(await listInfrastructureEvents(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.getInfrastructureEvent, async ({ params: { id }, caller, db }) => ({
    data: serialize(await existing(db, caller.organizationId, id)),
  }))

  handle(app, routes.getInfrastructureEventMatch, async ({ params: { id }, caller, db }) => ({
    data: await matchOf(db, await existing(db, caller.organizationId, id)),
  }))
}

async function existing(db: Db, organizationId: string, id: string): Promise<InfrastructureEventRow> {
  const event = await findInfrastructureEvent(db, organizationId, id)
  if (!event) throw new ApiError('infrastructureEventNotFound', `The infrastructure event ${id} does not exist.`)
  return event
}

/** Receives events of connected cloud accounts. */
export function receiveInfrastructureEvents(app: App, { db, intake }: { db: Db; intake: Intake }): void {
  const accounts = createCredentialLookupCache(
    (shown: EventCredentials) => authenticateSender(db, shown),
    ({ accountId, secretHash }) => [accountId, secretHash],
  )

  handle(app, routes.receiveCloudEvent, async ({ params, body, request }) => {
    const secret = request.headers[eventSecretHeader]
    const account =
      typeof secret === 'string' &&
      (await accounts.find({ accountId: params.id, secretHash: hash('sha256', secret, 'hex') }))
    if (!account) {
      throw new ApiError(
        'eventSecretWrong',
        `Send the cloud account's event secret in the header ${eventSecretHeader}.`,
      )
    }
    // The secret of one account does not authorize events of another.
    if (body.account !== account.cloudId) {
      throw new ApiError(
        'eventAccountWrong',
        `The event is from the account ${body.account}, but the secret belongs to another account.`,
      )
    }
    await intake(account, body)
    return { data: { accepted: true as const } }
  })
}

/** Credentials of an event: the account, and the hexadecimal SHA-256 of the secret. */
type EventCredentials = { accountId: string; secretHash: string }

/** Returns the account if the secret is valid. */
async function authenticateSender(
  db: Db,
  { accountId, secretHash }: EventCredentials,
): Promise<CloudAccountRow | undefined> {
  const account = await findReceivingAccount(db, accountId)
  if (!account?.eventSecretHash) return undefined
  return timingSafeEqual(Buffer.from(account.eventSecretHash), Buffer.from(secretHash)) ? account : undefined
}

const serialize = (row: InfrastructureEventRow): InfrastructureEvent => ({
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
