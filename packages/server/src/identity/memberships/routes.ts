import { routes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleList } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { recordChange } from '../audit-events/record.ts'
import { findMember, hasOtherOwner, listMembers, type Member, removeMembership, updateRole } from './store.ts'
import { membershipToWire } from './wire.ts'

const resourceType = 'membership'

export function serveMemberships(app: App): void {
  handleList(app, routes.listMemberships, listMembers, membershipToWire)

  handle(app, routes.getMembership, async ({ params, caller, db }) => {
    return { data: membershipToWire(await existing(db, caller.organizationId, params.id)) }
  })

  handle(app, routes.updateMembership, async ({ params: { id }, body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const member = await db.transaction(async (tx) => {
      const { role } = await existing(tx, organizationId, id)
      if (data.role !== undefined && data.role !== role) {
        if (data.role !== 'OWNER') await rejectLastOwner(tx, organizationId, id)
        await updateRole(tx, organizationId, id, data.role)
        const change = { action: 'memberships.update', resourceType, resourceId: id, details: data }
        await recordChange(tx, { caller, request }, change)
      }
      return existing(tx, organizationId, id)
    })
    app.callers.forget()
    return { data: membershipToWire(member) }
  })

  handle(app, routes.deleteMembership, async ({ params: { id }, caller, db, request }) => {
    const { organizationId } = caller
    await db.transaction(async (tx) => {
      const { user, role } = await existing(tx, organizationId, id)
      await rejectLastOwner(tx, organizationId, id)
      // Recorded before the deletion, while the event can still name a member who leaves.
      const change = {
        action: 'memberships.delete',
        resourceType,
        resourceId: id,
        details: { email: user.email, role },
      }
      await recordChange(tx, { caller, request }, change)
      await removeMembership(tx, organizationId, id)
    })
    app.callers.forget()
  })
}

async function existing(db: Db, organizationId: string, id: string): Promise<Member> {
  const member = await findMember(db, organizationId, id)
  if (!member) throw missing('membershipNotFound', 'membership', id)
  return member
}

/** Reads the role under the lock, because a concurrent change may have been in progress before. */
async function rejectLastOwner(tx: Db, organizationId: string, id: string): Promise<void> {
  if (await hasOtherOwner(tx, organizationId, id)) return
  const { role } = await existing(tx, organizationId, id)
  if (role === 'OWNER') throw new ApiError('lastOwner', `${id} is the last owner. Make another member an owner first.`)
}
