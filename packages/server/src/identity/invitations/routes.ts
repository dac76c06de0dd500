import { type Invitation, routes } from '@sluice/contract'
import { hashOf, newToken } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { recordChange } from '../audit-events/record.ts'
import { normalEmail } from '../auth/sign-in.ts'
import { isMember } from '../memberships/store.ts'
import { membershipToWire } from '../memberships/wire.ts'
import { accept, alreadyMember } from './accept.ts'
import { findInvitation, insertInvitation, listInvitations, removeInvitation } from './store.ts'
import type { InvitationRow } from './tables.ts'

const resourceType = 'invitation'

/** Lifetime of an invitation, in milliseconds. */
const lifeMs = 7 * 24 * 60 * 60 * 1000

/** `everybody` is not scoped to an organization, because a user who accepts is in none yet. */
export function serveInvitations(app: App, { db: everybody, clock }: { db: Db; clock: () => Date }): void {
  handle(app, routes.createInvitation, async ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const email = normalEmail(data.email)
    if (await isMember(db, organizationId, email)) throw alreadyMember(email)
    const token = newToken('sli_')
    const now = clock()
    const invitation = {
      organizationId,
      email,
      role: data.role,
      tokenHash: hashOf(token),
      expiresAt: new Date(now.getTime() + lifeMs),
      invitedById: caller.membershipId,
    }
    const invited = await rejectTaken(
      'invitations_organization_email',
      () => alreadyInvited(email),
      () =>
        db.transaction(async (tx) => {
          const row = await insertInvitation(tx, invitation, now)
          const change = { action: 'invitations.create', resourceType, resourceId: row.id, details: data }
          await recordChange(tx, { caller, request }, change)
          return row
        }),
    )
    return { data: { ...toWire(invited, now), token } }
  })

  handle(app, routes.listInvitations, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listInvitations, caller, query)
    const now = clock()
    return page.reply(await listInvitations(db, caller.organizationId, page), (row) => toWire(row, now))
  })

  handleGet(app, routes.getInvitation, { find: findInvitation, notFound, toWire: (row) => toWire(row, clock()) })

  handle(app, routes.deleteInvitation, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const removed = await removeInvitation(tx, caller.organizationId, params.id)
      if (!removed) throw notFound(params.id)
      const details = { email: removed.email, role: removed.role }
      const change = { action: 'invitations.delete', resourceType, resourceId: removed.id, details }
      await recordChange(tx, { caller, request }, change)
    })
  })

  handle(app, routes.acceptInvitation, async ({ body: { data }, request }) => {
    const { attempts } = app
    return { data: membershipToWire(await accept({ db: everybody, attempts, clock }, data, request)) }
  })
}

const alreadyInvited = (email: string) =>
  new ApiError('alreadyInvited', `${email} is already invited. Delete that invitation to create another.`)

const notFound = (id: string) => missing('invitationNotFound', 'invitation', id)

const toWire = (row: InvitationRow, now: Date): Invitation => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  email: row.email,
  role: row.role,
  status: row.acceptedAt !== null ? 'ACCEPTED' : row.expiresAt <= now ? 'EXPIRED' : 'PENDING',
  expiresAt: row.expiresAt.toISOString(),
  ...(row.acceptedAt !== null && { acceptedAt: row.acceptedAt.toISOString() }),
  invitedById: row.invitedById,
})
