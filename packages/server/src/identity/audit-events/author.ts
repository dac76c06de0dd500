import type { ActorType, Channel, RunTriggerSource } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import { channelOf } from '../../platform/http/channel.ts'

/** Author of a change: who made it, through which channel, and from where. */
export type Author = {
  organizationId: string
  actorType: ActorType
  actorId: string
  /** Display name at the time of the change. */
  actorName: string
  channel: Channel
  ipAddress?: string
  userAgent?: string
  requestId?: string
}

/** Principal and request that make a change. */
export type CallerRequest = { caller: Actor; request: FastifyRequest }
export type Actor = Pick<Caller, 'organizationId' | 'principalType' | 'membershipId' | 'email' | 'fullName'> &
  Partial<Pick<Caller, 'authSource' | 'through'>>

export function authorOf({ caller, request }: CallerRequest): Author {
  const userAgent = request.headers['user-agent']?.slice(0, 500)
  return {
    organizationId: caller.organizationId,
    actorType: caller.principalType,
    actorId: caller.membershipId,
    actorName: nameOf(caller),
    channel: channelOf({ caller, request }),
    ipAddress: request.ip,
    ...(userAgent !== undefined && { userAgent }),
    requestId: request.id,
  }
}

/** Returns the author for changes that Sluice makes itself. */
export const serviceAuthor = (organizationId: string, channel: Channel = 'SERVICE'): Author => ({
  organizationId,
  actorType: 'SERVICE',
  actorId: 'sluice',
  actorName: 'Sluice',
  channel,
})

/** Pipeline run that makes a change. */
export type ActingRun = { organizationId: string; id: string; triggeredBy: string; triggerSource: RunTriggerSource }

/** Returns the author for changes by a run: the run with its requester's channel and name. */
export const runAsAuthor = ({ organizationId, id, triggeredBy, triggerSource }: ActingRun): Author => ({
  organizationId,
  actorType: 'PIPELINE_RUN',
  actorId: id,
  actorName: `${triggeredBy} through the pipeline run ${id}`,
  channel: triggerSource === 'PUSH' ? 'WEBHOOK' : triggerSource,
})
