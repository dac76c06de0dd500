import type { ActorType, Channel, RunTriggerSource } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import { channelOf } from '../../platform/http/channel.ts'

/** Who makes a change, by what, and from where. */
export type Author = {
  organizationId: string
  actorType: ActorType
  actorId: string
  /** For people, as it is called at that time. */
  actorName: string
  channel: Channel
  ipAddress?: string
  userAgent?: string
  requestId?: string
}

/** Whoever makes a request, as which member of which organization. */
export type Asking = { caller: Actor; request: FastifyRequest }
export type Actor = Pick<Caller, 'organizationId' | 'principalType' | 'membershipId' | 'email' | 'fullName'> &
  Partial<Pick<Caller, 'authSource' | 'through'>>

export function authorOf({ caller, request }: Asking): Author {
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

/** The service, which acts by itself or on what it was told of. */
export const theService = (organizationId: string, channel: Channel = 'SERVICE'): Author => ({
  organizationId,
  actorType: 'SERVICE',
  actorId: 'sluice',
  actorName: 'Sluice',
  channel,
})

/** A run of a pipeline, which does what it was started for. */
export type ActingRun = { organizationId: string; id: string; triggeredBy: string; triggerSource: RunTriggerSource }

/** It acts by the channel that it was started by: who that was is in its name. */
export const runAsAuthor = ({ organizationId, id, triggeredBy, triggerSource }: ActingRun): Author => ({
  organizationId,
  actorType: 'PIPELINE_RUN',
  actorId: id,
  actorName: `${triggeredBy} through the pipeline run ${id}`,
  channel: triggerSource === 'PUSH' ? 'WEBHOOK' : triggerSource,
})
