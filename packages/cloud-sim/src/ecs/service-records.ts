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

/** The part of a service that a new deployment is started for, as it was asked. */
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

/** The part of a service that changes without a deployment. */
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

/** Without a capacity provider tasks run where the launch type says, which is on instances if nothing is said. */
export const launchTypeOf = ({
  launchType,
  capacityProviderStrategy = [],
}: ServiceSettings): { launchType?: LaunchType } =>
  capacityProviderStrategy.length > 0 ? {} : { launchType: launchType ?? 'EC2' }

/** Key: the service ARN. Moments named `…At` are timestamps (epoch milliseconds) except `retryAt` and `wakeAt`. */
export interface Service extends Row {
  name: string
  scope: Scope
  clusterArn: string
  status: 'ACTIVE' | 'DRAINING' | 'INACTIVE'
  desiredCount: number
  /** What it was made of, as JSON: the same request again changes nothing. */
  request: string
  settings: ServiceSettings
  deploymentConfiguration: DeploymentConfiguration
  /**
   * ARN of the revision that the service is or shall be: the newest target, or after a rollback the one before. Empty
   * where another controller than the cloud's own deploys.
   */
  primary: string
  /** What was asked for where another controller deploys: no deployment of ours has it. */
  spec?: RevisionSpec | undefined
  /** ARNs of revisions that run or may run tasks, oldest first. */
  live: string[]
  /** ARNs of service deployments that are not over, oldest first. */
  open: string[]
  /** ARN of the newest service deployment. */
  latest?: string | undefined
  createdAt: number
  createdBy: string
  tags: Tag[]
  /** Tasks that failed in a row; from ten on the scheduler waits until `retryAt` (cloud time) before the next try. */
  failuresInARow: number
  retryAt?: number | undefined
  isSteady: boolean
}

/** Key: the service revision ARN, whose last segment is `number`, the same as in `ecs-svc/<number>`. */
export interface Revision extends Row {
  number: string
  serviceArn: string
  spec: RevisionSpec
  /** For each of the spec's load balancers the target group that this revision's tasks register in. */
  targetGroups: string[]
  /** Of the images of its containers, by their places; absent until a task is started. */
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
  /** The revision that is replaced and gone back to; absent on a service's very first deployment. */
  base?: string | undefined
  sources: string[]
  rollout: Rollout
  failures: number
  isBreakerTriggered: boolean
  /**
   * Of one that alarms may fail: those that failed it. One that began while an alarm rang has none: the cloud ignores
   * its alarm configuration ("How CloudWatch alarms detect Amazon ECS deployment failures", developer guide).
   */
  alarms?: { triggered: string[] } | undefined
  createdAt: number
  startedAt?: number | undefined
  finishedAt?: number | undefined
  stoppedAt?: number | undefined
  updatedAt: number
  /** Cloud time from which it is shown. */
  listableAt: number
  rollback?: { reason: string; startedAt: number; serviceRevisionArn?: string | undefined } | undefined
  /** The revisions as they were when the deployment ended. */
  ended?: { target: ServiceRevisionSummary; sources: ServiceRevisionSummary[] } | undefined
}

/** Key: the service ARN. Newest first, at most a hundred, as the cloud keeps them. */
export interface EventLog extends Row {
  events: { id: string; createdAt: number; message: string }[]
}

/** Whether the cloud itself deploys the service; others bring task sets, of which none are played. */
export const isDeployedByCloud = ({ deploymentController }: ServiceSettings): boolean =>
  (deploymentController?.type ?? 'ECS') === 'ECS'

export const deploymentIdOf = (revision: Revision) => `ecs-svc/${revision.number}`
