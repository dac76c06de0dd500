import type { AcceptInvitation } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Attempts } from '../../platform/auth/attempts.ts'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { recordChange } from '../audit-events/record.ts'
import { insertNewcomer } from '../auth/register.ts'
import { findByPassword, passwordAttempt } from '../auth/sign-in.ts'
import { findMember, insertMembership, type Member } from '../memberships/store.ts'
import { hashPassword } from '../organizations/passwords.ts'
import { findUserByEmail } from '../users/store.ts'
import { acceptInvitation, findOpenInvitation } from './store.ts'
import type { InvitationRow } from './tables.ts'

type Parts = { db: Db; attempts: Attempts; clock: () => Date }

/** Adds the holder of an invitation token as a member: a new user, or a known one with the right password. */
export async function accept(
  { db, attempts, clock }: Parts,
  { token, fullName, password }: AcceptInvitation,
  request: FastifyRequest,
): Promise<Member> {
  const tokenHash = hashOf(token)
  const now = clock()
  const offer = await findOpenInvitation(db, tokenHash, now)
  if (!offer) throw notOpen()
  const { email } = offer
  const known = await findUserByEmail(db, email)
  const by = passwordAttempt(db, request.ip, email)
  if (known && !(await attempts.atPassword(by, () => findByPassword(db, email, password)))) throw notProven(email)
  const passwordHash = known ? undefined : await hashPassword(password)

  const join = () =>
    db.transaction(async (tx) => {
      const invitation = await acceptInvitation(tx, tokenHash, now)
      if (!invitation) throw notOpen()
      const userId =
        passwordHash === undefined ? known?.id : await insertNewcomer(tx, { email, fullName, passwordHash })
      return becomeMember(tx, invitation, userId ?? '', request)
    })
  return rejectTaken(
    'users_email_unique',
    () => notProven(email),
    () => rejectTaken('memberships_organization_user', () => alreadyMember(email), join),
  )
}

async function becomeMember(
  tx: Db,
  { id: invitationId, organizationId, role }: InvitationRow,
  userId: string,
  request: FastifyRequest,
): Promise<Member> {
  const { id } = await insertMembership(tx, { organizationId, userId, role })
  const member = await findMember(tx, organizationId, id)
  if (!member) throw new Error('a membership that was just made is not found')
  const { email } = member.user
  const caller = { organizationId, principalType: 'MEMBERSHIP', membershipId: id, email } as const
  const change = { action: 'memberships.create', resourceType: 'membership', resourceId: id }
  await recordChange(tx, { caller, request }, { ...change, details: { invitationId, email, role } })
  return member
}

export const alreadyMember = (email: string) =>
  new ApiError('alreadyMember', `${email} is already a member of the organization.`)

const notProven = (email: string) => new ApiError('signInFailed', `${email} already has an account. Send its password.`)

const notOpen = () =>
  new ApiError('invitationNotFound', 'The token does not belong to a pending invitation. Ask for a new one.')
