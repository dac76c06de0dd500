import type { FailureAction } from '@sluice/contract'
import type { Command, ServiceRelease } from '../../../../cloud/facts/ecs.ts'
import type { ReleaseBase } from '../release.ts'

/** Cloud request that registers a task definition. */
type Registration = Record<string, unknown>

/** Container service release, as resolved when the deployment was accepted. */
export type EcsRelease = ReleaseBase &
  ServiceRelease & {
    type: 'cloud:ecs'
    /**
     * Request that registers the task definition; or the previous revision with the request to register it again if it
     * was deregistered. Without that request, the recorded definition is registered.
     */
    taskDefinition: { register: Registration } | { reuse: { arn: string; register?: Registration } }
    preDeploy?: Command
    postDeploy?: Command & { failureAction: FailureAction }
    /**
     * Whether this is a rollback to an earlier release, which changes nothing if the service runs that release already.
     */
    isRollback?: boolean
  }
