import type { Membership } from '@sluice/contract'
import type { Member } from './store.ts'

export const membershipToWire = ({ user, ...row }: Member): Membership => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  userId: row.userId,
  role: row.role,
  email: user.email,
  ...(user.fullName !== null && { fullName: user.fullName }),
  ...(user.shortName !== null && { shortName: user.shortName }),
})
