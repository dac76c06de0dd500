import type { DeploymentType } from '@sluice/contract'
import type { SendOutbound } from '@sluice/outbound/send'
import type { CloudClients } from '../../../cloud/adapter/access.ts'
import type { Loan } from '../../../git/adapter/host.ts'
import type { CloudAction } from '../types/deployment-type.ts'
import { carryOut as ec2 } from '../types/ec2/execute.ts'
import { carryOut as ecs } from '../types/ecs/execute.ts'
import type { EcsRelease } from '../types/ecs/release.ts'
import type { StartChecks } from '../types/ecs/service-checks.ts'
import { carryOut as lambda } from '../types/lambda/execute.ts'
import type { FunctionRelease } from '../types/lambda/release.ts'
import { carryOut as staticSite } from '../types/static/execute.ts'
import type { SiteRelease } from '../types/static/retention.ts'
import type { PollPace, Standing } from './state.ts'

/** Checks what the new tasks of a release need to start; undefined for a release that starts nothing new. */
export type CheckStart = (clients: CloudClients, release: EcsRelease, now: Date) => Promise<StartChecks | undefined>

export type ForShow = <T>(read: () => Promise<T>) => Promise<T | undefined>

/** What carrying out an action needs to know besides the deployment itself. */
export type Situation = {
  moduleInstanceId: string
  clients: CloudClients
  pace: PollPace
  /** Whether an event of the cloud calls for this. */
  isTold?: boolean
  clock: () => Date
  /** For requests that a module names: see `platform/outbound`. */
  sendOutbound: SendOutbound
  /** Called before a request that changes the cloud: from then on it may be under way. */
  beforeSend: () => void
  /**
   * What is read only to be shown: where it cannot be read that is logged, and the answer is undefined. No release may
   * fail for it.
   */
  forShow: ForShow
  /** What the organization released from a bucket or is about to, in the order in which the deployments ended. */
  siteReleases: (bucket: string) => Promise<SiteRelease[]>
  /** What the organization released to a function or is about to, in the same order. */
  functionReleases: (functionArn: string) => Promise<FunctionRelease[]>
  checkStart: CheckStart
  /**
   * Access to a repository for the tenant's machines; undefined where it takes none, or where there is none to lend.
   */
  lendAccess: (repository: string) => Promise<Loan | { refused: string } | undefined>
}

/**
 * Does the one thing in the cloud and returns where the deployment stands then. The cloud's refusals and troubles are
 * thrown.
 */
export type CarryOut<A extends CloudAction, S extends Standing> = (
  action: A,
  standing: S,
  situation: Situation,
) => Promise<S>

/**
 * How the actions of each type are carried out. Only a type's own machine names its actions, so the one fits the other.
 */
export const carriers = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
} as Record<DeploymentType, CarryOut<CloudAction, Standing>>
