import { type Organization, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { recordChange } from '../audit-events/record.ts'
import { findOrganization, type OrganizationRow, updateOrganization } from './store.ts'

/** The caller's own organization: others are not there. */
export function serveOrganizations(app: App): void {
  handle(app, routes.getOrganization, async ({ params, caller, db }) => {
    const organization = params.id === caller.organizationId && (await findOrganization(db, params.id))
    if (!organization) throw notFound(params.id)
    return { data: toWire(organization) }
  })

  handle(app, routes.updateOrganization, async ({ params, body: { data }, caller, db, request }) => {
    if (params.id !== caller.organizationId) throw notFound(params.id)
    const organization = await db.transaction(async (tx) => {
      const changed = await updateOrganization(tx, params.id, data)
      if (!changed) throw notFound(params.id)
      const change = { action: 'organizations.update', resourceType: 'organization', resourceId: params.id }
      await recordChange(tx, { caller, request }, { ...change, details: data })
      return changed
    })
    app.callers.forget() // callers carry the name
    return { data: toWire(organization) }
  })
}

const notFound = (id: string) => new Refusal('organizationNotFound', `There is no organization ${id} that you are in.`)

const toWire = (row: OrganizationRow): Organization => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  givenId: row.givenId,
  name: row.name,
})
