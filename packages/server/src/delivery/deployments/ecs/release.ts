import type { FailureAction } from '@sluice/contract'
import type { Command, ServiceRelease } from '../../../cloud/facts/ecs.ts'
import type { ReleaseBase } from '../release.ts'

/** A container-service release as it was resolved when the deployment was accepted. */
export type EcsRelease = ReleaseBase &
  ServiceRelease & {
    type: 'cloud:ecs'
    /** The request that registers the task definition; or, on a redeployment, the very one that ran before. */
    taskDefinition: { register: Record<string, unknown> } | { reuse: { arn: string } }
    preDeploy?: Command
    postDeploy?: Command & { failureAction: FailureAction }
    /** It returns to an earlier release: nothing is to be done where the service runs that one already. */
    isRollback?: boolean
  }
