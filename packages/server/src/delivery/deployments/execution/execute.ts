import type { DeploymentType } from '@sluice/contract'
import type { CloudClients } from '../../../cloud/adapter/access.ts'
import type { findMissingParts } from '../../../cloud/adapter/ecs/release-parts.ts'
import type { ReadAccess } from '../../../git/adapter/host.ts'
import type { Measure } from '../analysis/measure.ts'
import type { CloudAction } from '../types/deployment-type.ts'
import { executeEc2Action as ec2 } from '../types/ec2/execute.ts'
import { executeEcsAction as ecs } from '../types/ecs/execute.ts'
import type { EcsRelease } from '../types/ecs/release.ts'
import type { StartChecks } from '../types/ecs/service-checks.ts'
import { executeLambdaAction as lambda } from '../types/lambda/execute.ts'
import type { FunctionRelease } from '../types/lambda/release.ts'
import { executeStaticAction as staticSite } from '../types/static/execute.ts'
import type { SiteRelease } from '../types/static/retention.ts'
import type { DeploymentState, PollPace } from './state.ts'

/** Checks what the new tasks of a release need to start. Returns undefined for a release that starts no new tasks. */
export type CheckStart = (clients: CloudClients, release: EcsRelease, now: Date) => Promise<StartChecks | undefined>

export type ReadForDisplay = <T>(read: () => Promise<T>) => Promise<T | undefined>

/** Dependencies and context of an action, besides the deployment itself. */
export type ActionContext = {
  moduleInstanceId: string
  clients: CloudClients
  pace: PollPace
  /** Whether an event of the cloud caused the action. */
  isTold?: boolean
  clock: () => Date
  measure: Measure
  /** Callback before a request that changes the cloud, which can be in flight from then on. */
  beforeSend: () => void
  /**
   * Reads data that is only displayed. Logs an error and returns undefined if the read fails, because no release may
   * fail because of it.
   */
  forShow: ReadForDisplay
  /**
   * Returns what the organization has released or is about to release from a bucket, in the order in which the
   * deployments ended.
   */
  siteReleases: (bucket: string) => Promise<SiteRelease[]>
  /** Returns what the organization has released or is about to release to a function, in the same order. */
  functionReleases: (functionArn: string) => Promise<FunctionRelease[]>
  checkStart: CheckStart
  findMissingParts: typeof findMissingParts
  /**
   * Grants the tenant's machines access to a repository. Undefined if the repository needs none or there is none to
   * grant.
   */
  lendAccess: (repository: string) => Promise<ReadAccess | { refused: string } | undefined>
}

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export type ExecuteAction<A extends CloudAction, S extends DeploymentState> = (
  action: A,
  deployment: S,
  situation: ActionContext,
) => Promise<S>

/**
 * Executors of the actions of each deployment type. Only the state machine of a type names its actions, so that types
 * always match.
 */
export const executors = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
} as Record<DeploymentType, ExecuteAction<CloudAction, DeploymentState>>
