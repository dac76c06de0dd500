import type { Principal } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { AttemptBy } from '../../platform/auth/attempts.ts'
import { newSessionToken } from '../../platform/auth/session-cookie.ts'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { recordChange } from '../audit-events/record.ts'
import { listMembershipsOf, type MembershipRow } from '../memberships/store.ts'
import { verifyPassword } from '../organizations/passwords.ts'
import { insertSession } from '../sessions/store.ts'
import { findBreakGlass } from '../sign-in-policies/store.ts'
import { findPasswordByEmail, type PasswordIdentity } from '../users/store.ts'
import { findCaller, listSignInAddresses } from './store.ts'

/** Called with the result of each sign-in attempt. */
export type OnSignIn = (way: 'password' | 'identity_provider', result: 'ok' | 'refused') => void

/** Normalizes an email address to lower case for storage and comparison. */
export const normalEmail = (email: string): string => email.toLowerCase()

/** Returns the keys for limiting password attempts: distributed guessing is limited without locking out the owner. */
export const passwordAttempt = (db: Db, address: string, email: string): AttemptBy => ({
  address,
  account: email,
  listKnownAddresses: () => listSignInAddresses(db, email),
})

/**
 * Returns the user with this email address and password. Takes as long for unknown addresses. `email` must be in lower
 * case.
 */
export async function findByPassword(db: Db, email: string, password: string): Promise<PasswordIdentity | undefined> {
  const identity = await findPasswordByEmail(db, email)
  const isRight = await verifyPassword(password, identity?.passwordHash ?? undefined)
  return isRight ? identity : undefined
}

/**
 * Starts a session by password in the given organization, or in the first joined one that allows passwords. Undefined
 * if there is none.
 */
export async function startPasswordSession(
  db: Db,
  { userId, identityId }: PasswordIdentity,
  organizationId: string | undefined,
  request: FastifyRequest,
): Promise<Started | undefined> {
  const memberships = await listMembershipsOf(db, userId, organizationId)
  for (const membership of memberships) {
    const breakGlass = await findBreakGlass(db, membership.organizationId)
    if (breakGlass === undefined || breakGlass === membership.id) {
      return startSession(db, { identityId, membership, providerSessionId: undefined }, request)
    }
  }
  if (memberships.length === 0) return undefined
  throw new ApiError('passwordSignInOff', 'Your organization requires single sign-on with its identity provider.')
}

type Started = { caller: Principal; token: string }

type Starting = {
  membership: MembershipRow
  identityId: string
  providerSessionId: string | undefined
}

export function startSession(
  db: Db,
  { membership, identityId, providerSessionId }: Starting,
  request: FastifyRequest,
): Promise<Started> {
  const token = newSessionToken()
  const tokenHash = hashOf(token)
  return db.transaction(async (tx) => {
    const session = {
      organizationId: membership.organizationId,
      membershipId: membership.id,
      identityId,
      providerSessionId,
      tokenHash,
      ipAddress: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 500),
    }
    const life = request.server.sessionLife
    const resourceId = await insertSession(tx, session, life)
    const caller = await findCaller(tx, { type: 'SESSION', tokenHash }, life)
    if (!caller) throw new Error('a session that was just made is not found')
    await recordChange(tx, { caller, request }, { action: 'sessions.create', resourceType: 'session', resourceId })
    return { caller, token }
  })
}
