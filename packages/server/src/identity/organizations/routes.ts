import { deletionGraceDays, type Organization, type OwnOrganization, routes } from '@sluice/contract'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { runInOtherOrganization } from '../../platform/db/organization.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { newId } from '../../platform/ids.ts'
import { recordChange } from '../audit-events/record.ts'
import type { Registration } from '../auth/register.ts'
import { insertMembership } from '../memberships/store.ts'
import type { FindBlockers } from './end.ts'
import { listOwn, type OwnRow, seesAll } from './own.ts'
import {
  countMembershipsOf,
  findOrganization,
  insertOrganization,
  lockOrganization,
  markForDeletion,
  type OrganizationRow,
  unmarkForDeletion,
  updateOrganization,
} from './store.ts'

/** Maximum number of organizations per user, so that a stolen session cannot create thousands. */
const maxPerPerson = 100

const graceMs = deletionGraceDays * 86_400_000

type Parts = {
  /** Not scoped to an organization, because users can be in several. */
  db: Db
  registration: Registration
  findBusy: FindBlockers
  clock: () => Date
}

/** Registers the routes for the caller's own organizations. Others are not visible. */
export function serveOrganizations(app: App, { db: everywhere, registration, findBusy, clock }: Parts): void {
  handle(app, routes.listOrganizations, async ({ query, caller }) => {
    const page = app.openPage(routes.listOrganizations, caller, query)
    const own = await listOwn(everywhere, caller, await seesAll(everywhere, caller), page)
    return page.reply(own, (row) => toOwn(row, caller))
  })

  handle(
    app,
    routes.createOrganization,
    async ({ body: { data }, caller, db, request }) =>
      db.transaction(async (tx) => {
        const id = newId('org')
        return runInOtherOrganization(tx, id, async () => {
          const organization = await insertOrganization(tx, data.name, id)
          const { userId, email } = caller
          const membership = await insertMembership(tx, { organizationId: id, userId, role: 'OWNER' })
          const owner = { ...membership, principalType: 'MEMBERSHIP', membershipId: membership.id, email } as const
          const change = { action: 'organizations.create', resourceType: 'organization', resourceId: id }
          await recordChange(tx, { caller: owner, request }, change)
          return { data: toWire(organization) }
        })
      }),
    async ({ caller }) => {
      if (caller.principalType !== 'MEMBERSHIP')
        throw new ApiError('userNotFound', 'A service account cannot be an owner.')
      if (registration === 'closed' && caller.globalRole !== 'SUPERADMIN') {
        throw new ApiError('registrationClosed', 'Ask the operator of this installation.')
      }
      if ((await countMembershipsOf(everywhere, caller.userId)) >= maxPerPerson) {
        throw new ApiError(
          'tooManyOrganizations',
          `You are in ${maxPerPerson} organizations, which is the maximum. Leave or delete one first.`,
        )
      }
    },
  )

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
    app.callers.forget() // cached callers contain the name
    return { data: toWire(organization) }
  })

  handle(
    app,
    routes.deleteOrganization,
    async ({ params: { id }, body: { data }, caller, db, request, afterwards }) => {
      if (id !== caller.organizationId) throw notFound(id)
      afterwards(() => app.callers.forget()) // cached callers contain the pending deletion
      return db.transaction(async (tx) => {
        const organization = await lockOrganization(tx, id)
        if (!organization) throw notFound(id)
        if (data.name !== organization.name) {
          throw new ApiError('organizationNameWrong', 'To confirm, send the name of the organization as `data.name`.')
        }
        rejectBusy(await findBusy(tx, id))
        const now = clock()
        const endsAt = new Date(now.getTime() + graceMs)
        await markForDeletion(tx, id, { requestedAt: now.toISOString(), requestedBy: nameOf(caller) }, endsAt)
        const change = { action: 'organizations.delete', resourceType: 'organization', resourceId: id }
        await recordChange(tx, { caller, request }, { ...change, details: { dueAt: endsAt.toISOString() } })
        const marked = await findOrganization(tx, id)
        if (!marked) throw notFound(id)
        return { data: toWire(marked) }
      })
    },
    // Use by other organizations is visible only without an organization scope.
    async ({ params: { id }, caller }) => {
      if (id === caller.organizationId) rejectBusy(await findBusy(everywhere, id))
    },
  )

  handle(app, routes.cancelOrganizationDeletion, async ({ params: { id }, caller, db, request, afterwards }) => {
    if (id !== caller.organizationId) throw notFound(id)
    afterwards(() => app.callers.forget())
    await db.transaction(async (tx) => {
      if (!(await unmarkForDeletion(tx, id, clock()))) {
        throw new ApiError(
          'organizationStays',
          `No deletion of this organization is pending: see GET /organizations/${id}.`,
        )
      }
      const change = { action: 'organizations.keep', resourceType: 'organization', resourceId: id }
      await recordChange(tx, { caller, request }, change)
    })
  })
}

function rejectBusy(busy: string[]): void {
  if (busy.length === 0) return
  const details = [{ title: 'Wait for, or end first', render: 'list' as const, items: busy }]
  throw new ApiError('organizationBusy', 'Cancel the work in progress, or wait until it ends.', { details })
}

const notFound = (id: string) => new ApiError('organizationNotFound', `You are not a member of an organization ${id}.`)

const toWire = (row: OrganizationRow): Organization => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  givenId: row.givenId,
  name: row.name,
  ...(row.deletion && row.endsAt && { deletion: { ...row.deletion, dueAt: row.endsAt.toISOString() } }),
})

const toOwn = ({ organization, id, role }: OwnRow, caller: Caller): OwnOrganization => ({
  ...toWire(organization),
  membershipId: id,
  role,
  isCurrent: organization.id === caller.organizationId,
})
