import type {
  CreateServiceRequest,
  DeploymentConfiguration,
  LaunchType,
  ServiceRevisionSummary,
  Tag,
} from '@aws-sdk/client-ecs'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { Rollout } from './rollout.ts'

/** Part of a service whose change starts a deployment, as requested. */
export type RevisionSpec = Pick<
  CreateServiceRequest,
  | 'loadBalancers'
  | 'networkConfiguration'
  | 'platformVersion'
  | 'serviceRegistries'
  | 'serviceConnectConfiguration'
  | 'volumeConfigurations'
  | 'vpcLatticeConfigurations'
> & { taskDefinition: string }

/** Part of a service that changes without a deployment. */
export type ServiceSettings = Pick<
  CreateServiceRequest,
  | 'availabilityZoneRebalancing'
  | 'capacityProviderStrategy'
  | 'deploymentController'
  | 'enableECSManagedTags'
  | 'enableExecuteCommand'
  | 'healthCheckGracePeriodSeconds'
  | 'launchType'
  | 'placementConstraints'
  | 'placementStrategy'
  | 'propagateTags'
  | 'schedulingStrategy'
>

/** Returns the launch type: EC2 by default, none with a capacity provider. */
export const launchTypeOf = ({
  launchType,
  capacityProviderStrategy = [],
}: ServiceSettings): { launchType?: LaunchType } =>
  capacityProviderStrategy.length > 0 ? {} : { launchType: launchType ?? 'EC2' }

/** Key: the service ARN. Fields named `…At` are timestamps (epoch milliseconds), except `retryAt` and `wakeAt`. */
export interface Service extends Row {
  name: string
  scope: Scope
  clusterArn: string
  status: 'ACTIVE' | 'DRAINING' | 'INACTIVE'
  desiredCount: number
  /** Creation request as JSON, to detect a repetition. */
  request: string
  settings: ServiceSettings
  deploymentConfiguration: DeploymentConfiguration
  /**
   * ARN of the current or target revision: the newest, or the previous one after a rollback. Empty with another
   * deployment controller.
   */
  primary: string
  /** Requested settings with another deployment controller, which has no simulated deployments. */
  spec?: RevisionSpec | undefined
  /** ARNs of revisions that may have tasks, oldest first. */
  live: string[]
  /** ARNs of service deployments in progress, oldest first. */
  open: string[]
  /** ARN of the newest service deployment. */
  latest?: string | undefined
  createdAt: number
  createdBy: string
  tags: Tag[]
  /** Number of consecutive failed tasks. From ten on, the scheduler waits until `retryAt` (cloud time). */
  failuresInARow: number
  retryAt?: number | undefined
  isSteady: boolean
}

/** Key: the service revision ARN. Its last segment is `number`, the same as in `ecs-svc/<number>`. */
export interface Revision extends Row {
  number: string
  serviceArn: string
  spec: RevisionSpec
  /** Target group of this revision for each load balancer of the spec. */
  targetGroups: string[]
  /** Image digests by container index; absent until a task is started. */
  digests?: string[]
  createdAt: number
  updatedAt: number
  rolloutState: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED'
  rolloutStateReason: string
  failedTasks: number
}

/** Key: the service deployment ARN. */
export interface ServiceDeployment extends Row {
  serviceArn: string
  clusterArn: string
  configuration: DeploymentConfiguration
  target: string
  /** Revision to replace and to roll back to; absent on a service's first deployment. */
  base?: string | undefined
  sources: string[]
  rollout: Rollout
  failures: number
  isBreakerTriggered: boolean
  /**
   * Triggered alarms, if alarms guard the deployment. Absent if an alarm was active at its start: ECS then ignores the
   * alarm configuration ("How CloudWatch alarms detect Amazon ECS deployment failures", developer guide).
   */
  alarms?: { triggered: string[] } | undefined
  createdAt: number
  startedAt?: number | undefined
  finishedAt?: number | undefined
  stoppedAt?: number | undefined
  updatedAt: number
  /** Cloud time from which it is listed. */
  listableAt: number
  rollback?: { reason: string; startedAt: number; serviceRevisionArn?: string | undefined } | undefined
  /** State of the revisions at the end of the deployment. */
  ended?: { target: ServiceRevisionSummary; sources: ServiceRevisionSummary[] } | undefined
}

/** Key: the service ARN. Newest first, at most a hundred, like ECS. */
export interface EventLog extends Row {
  events: { id: string; createdAt: number; message: string }[]
}

/** Reports whether ECS itself deploys the service. Task sets of other controllers are not simulated. */
export const isDeployedByCloud = ({ deploymentController }: ServiceSettings): boolean =>
  (deploymentController?.type ?? 'ECS') === 'ECS'

export const deploymentIdOf = (revision: Revision) => `ecs-svc/${revision.number}`
