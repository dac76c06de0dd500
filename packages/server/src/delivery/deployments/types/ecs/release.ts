import type { FailureAction } from '@sluice/contract'
import type { Command, ServiceRelease } from '../../../../cloud/facts/ecs.ts'
import type { ReleaseBase } from '../release.ts'

/** A container-service release as it was resolved when the deployment was accepted. */
type Registration = Record<string, unknown>

export type EcsRelease = ReleaseBase &
  ServiceRelease & {
    type: 'cloud:ecs'
    /**
     * The request that registers the task definition; or the revision that ran before, with the request that registers
     * it again if it was deregistered meanwhile. Without a request, the revision is registered as it was recorded.
     */
    taskDefinition: { register: Registration } | { reuse: { arn: string; register?: Registration } }
    preDeploy?: Command
    postDeploy?: Command & { failureAction: FailureAction }
    /** It returns to an earlier release: nothing is to be done where the service runs that one already. */
    isRollback?: boolean
  }
