import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { auditEvents } from './tables.ts'

/** A change that is worth knowing about later. */
export type Change = {
  /** `<resource>.<verb>`, such as `projects.create`. */
  action: string
  resourceType: string
  resourceId: string
  /** What was asked, without secrets. */
  details?: Record<string, unknown>
}

/** Who changed it, and as which member of which organization. */
export type Actor = Pick<Caller, 'organizationId' | 'principalType' | 'membershipId' | 'email' | 'fullName'>

/** Writes down who changed what, in the transaction of the change: neither is there without the other. */
export async function recordChange(
  tx: Db,
  { caller, request }: { caller: Actor; request: FastifyRequest },
  change: Change,
): Promise<void> {
  await tx.insert(auditEvents).values({
    id: newId('aud'),
    organizationId: caller.organizationId,
    actorType: caller.principalType,
    actorId: caller.membershipId,
    actorName: caller.email || (caller.fullName ?? caller.membershipId),
    ...change,
    ipAddress: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
    requestId: request.id,
  })
}
