import { and, eq, gt, isNotNull, isNull, lte, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import type { Role } from '../organizations/tables.ts'
import { type InvitationRow, invitations } from './tables.ts'

const isOne = (organizationId: string, id: string) =>
  and(eq(invitations.organizationId, organizationId), eq(invitations.id, id))

export async function findInvitation(db: Db, organizationId: string, id: string): Promise<InvitationRow | undefined> {
  const [row] = await db.select().from(invitations).where(isOne(organizationId, id))
  return row
}

export const listInvitations = (db: Db, organizationId: string, page: PageBounds): Promise<PageRows<InvitationRow>> =>
  selectPage(db, invitations, eq(invitations.organizationId, organizationId), page)

export type NewInvitationRow = {
  organizationId: string
  email: string
  role: Role
  tokenHash: string
  expiresAt: Date
  invitedById: string
}

/** Inserts an invitation, replacing an accepted or expired one for the same email address. */
export async function insertInvitation(tx: Db, invitation: NewInvitationRow, now: Date): Promise<InvitationRow> {
  const { organizationId, email } = invitation
  const isOver = or(isNotNull(invitations.acceptedAt), lte(invitations.expiresAt, now))
  await tx
    .delete(invitations)
    .where(and(eq(invitations.organizationId, organizationId), eq(invitations.email, email), isOver))
  const [row] = await tx
    .insert(invitations)
    .values({ id: newId('inv'), ...invitation })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function removeInvitation(tx: Db, organizationId: string, id: string): Promise<InvitationRow | undefined> {
  const [row] = await tx.delete(invitations).where(isOne(organizationId, id)).returning()
  return row
}

/** Selects an invitation that is neither accepted nor expired. */
const isOpen = (tokenHash: string, now: Date) =>
  and(eq(invitations.tokenHash, tokenHash), isNull(invitations.acceptedAt), gt(invitations.expiresAt, now))

/** Finds an open invitation by its token, in any organization. */
export async function findOpenInvitation(db: Db, tokenHash: string, now: Date): Promise<InvitationRow | undefined> {
  const [row] = await db.select().from(invitations).where(isOpen(tokenHash, now))
  return row
}

/**
 * Marks an invitation as accepted. Returns undefined if it is no longer open, for example after a concurrent request.
 */
export async function acceptInvitation(tx: Db, tokenHash: string, now: Date): Promise<InvitationRow | undefined> {
  const [row] = await tx
    .update(invitations)
    .set({ acceptedAt: now, updatedAt: now })
    .where(isOpen(tokenHash, now))
    .returning()
  return row
}
