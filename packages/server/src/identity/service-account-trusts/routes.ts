import { routes, type ServiceAccountTrust } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { recordChange } from '../audit-events/record.ts'
import { findServiceAccount } from '../service-accounts/store.ts'
import { type ExchangeParts, exchange } from './exchange.ts'
import { patternFault } from './machine.ts'
import { findTrust, insertTrust, listTrusts, removeTrust, type TrustRow } from './store.ts'

const resourceType = 'service-account-trust'

type Parts = ExchangeParts & { openPage: OpenPage }

export function serveServiceAccountTrusts(app: App, parts: Parts): void {
  const { openPage } = parts

  handle(app, routes.createServiceAccountTrust, async ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const { claims = {}, tokenLifetimeSeconds = 900, ...rest } = data
    refuseWide({ subject: data.subject, claims })
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

  handle(app, routes.listServiceAccountTrusts, async ({ query, caller, db }) => {
    const page = openPage(routes.listServiceAccountTrusts, caller, query)
    return page.reply(await listTrusts(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getServiceAccountTrust, async ({ params, caller, db }) => {
    const trust = await findTrust(db, caller.organizationId, params.id)
    if (!trust) throw notFound(params.id)
    return { data: toWire(trust) }
  })

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

/** Refuses patterns that would let strangers in. */
function refuseWide({ subject, claims }: { subject: string; claims: Record<string, string> }): void {
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
