import { routes, type ServiceAccountTrust } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { recordChange } from '../audit-events/record.ts'
import { findServiceAccount } from '../service-accounts/store.ts'
import { type ExchangeParts, exchange } from './exchange.ts'
import { patternFault } from './machine.ts'
import { findTrust, insertTrust, listTrusts, removeTrust, type TrustRow } from './store.ts'

const resourceType = 'service-account-trust'

export function serveServiceAccountTrusts(app: App, parts: ExchangeParts): void {
  handle(app, routes.createServiceAccountTrust, async ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const { claims = {}, tokenLifetimeSeconds = 900, ...rest } = data
    rejectWide({ subject: data.subject, claims })
    if (!(await findServiceAccount(db, organizationId, data.serviceAccountId))) {
      throw referenceNotFound('serviceAccountId', 'service account', data.serviceAccountId)
    }
    return db.transaction(async (tx) => {
      const trust = await insertTrust(tx, { organizationId, ...rest, claims, tokenLifetimeSeconds })
      const change = { action: 'service-account-trusts.create', resourceType, resourceId: trust.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire(trust) }
    })
  })

  handleList(app, routes.listServiceAccountTrusts, listTrusts, toWire)
  handleGet(app, routes.getServiceAccountTrust, { find: findTrust, notFound, toWire })

  handle(app, routes.deleteServiceAccountTrust, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const trust = await removeTrust(tx, caller.organizationId, params.id)
      if (!trust) throw notFound(params.id)
      const before = toWire(trust)
      const change = { action: 'service-account-trusts.delete', resourceType, resourceId: trust.id, before }
      await recordChange(tx, { caller, request }, change)
    })
    app.callers.forget()
  })

  handle(app, routes.exchangeIdToken, async ({ body: { data }, request }) => ({
    data: await exchange(parts, data, request),
  }))
}

/** Rejects patterns that would admit strangers. */
function rejectWide({ subject, claims }: { subject: string; claims: Record<string, string> }): void {
  const patterns = { '$.data.subject': subject, ...byPlace(claims) }
  const faults = Object.entries(patterns).flatMap(([place, pattern]) => {
    const fault = patternFault(pattern)
    return fault === undefined ? [] : [`${place}: ${fault}`]
  })
  if (faults.length > 0) throw bodyInvalid(faults)
}

const byPlace = (claims: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, pattern]) => [`$.data.claims.${name}`, pattern]))

const notFound = (id: string) => missing('serviceAccountTrustNotFound', 'trust', id)

const toWire = (row: TrustRow): ServiceAccountTrust => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  serviceAccountId: row.serviceAccountId,
  name: row.name,
  issuer: row.issuer,
  audience: row.audience,
  subject: row.subject,
  claims: row.claims,
  tokenLifetimeSeconds: row.tokenLifetimeSeconds,
})
