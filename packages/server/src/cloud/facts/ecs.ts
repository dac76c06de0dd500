import type { ServiceDeploymentState, TaskDefinitionRecord, TrafficPhase } from '@sluice/contract'
import type { ServiceRouting } from './ecs-configuration.ts'
import type { PauseStage } from './pause-stage.ts'

/** Where a service is. */
export type ServiceInEnvironment = { clusterArn: string; serviceArn: string }

/** Returns whether an ARN names a container service: `…:ecs:…:service/CLUSTER/NAME`. */
export const isServiceArn = (arn: string | null): arn is string =>
  arn?.split(':')[2] === 'ecs' && arn.includes(':service/')

/** Returns a service with its cluster, which its ARN names. */
export const servicePlaceOf = (serviceArn: string): ServiceInEnvironment => ({
  serviceArn,
  clusterArn: serviceArn.replace(/:service\/([^/]+)\/.*$/, ':cluster/$1'),
})

/** How the tasks of a service are exchanged. */
export type EcsStrategy =
  | { type: 'rolling' }
  | {
      type: 'blue_green' | 'linear' | 'canary'
      bakeTimeInMinutes: number
      linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
      canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
      pauseStages: PauseStage[]
    }

/** The pieces of the load balancer between which the cloud shifts traffic. */
export type TrafficShift = {
  targetGroupArn: string
  alternateTargetGroupArn: string
  productionListenerRuleArn: string
  testListenerRuleArn?: string
  infrastructureRoleArn: string
}

/** A one-off task of the new revision that runs a command before or after the release. */
export type Command = {
  /** The container whose exit code decides. */
  container: string
  /** What is other than in the task definition, as the cloud asks for it. */
  overrides: Record<string, unknown>
  /** As the cloud asks for them; absent: those of the service. */
  networkConfiguration?: Record<string, unknown>
  capacityProviderStrategy?: Record<string, unknown>[]
  enableExecuteCommand?: boolean
  /** Seconds after which it is stopped and counts as failed. */
  timeoutSeconds: number
}

/** What a service is told of a release. */
export type ServiceRelease = ServiceInEnvironment & {
  trafficShift?: TrafficShift
  strategy: EcsStrategy
  /** Names of the cloud's alarms that turn the release back; absent: those that the service has. */
  alarms?: string[]
}

/** A pause hook of a service deployment, as the cloud reports it. */
export type HookSnapshot = {
  hookId: string
  /** Known while it waits; the cloud does not say it of one that is answered. */
  lifecycleStage?: string
  /** `AWAITING_ACTION`, `SUCCEEDED` (continued), `FAILED` (rolled back), `TIMED_OUT`, or what the cloud adds. */
  status: string
  timeoutAction: string
  /** RFC 3339. */
  expiresAt?: string
}

/** One reading of the release in the cloud. */
export type ServiceDeploymentSnapshot = {
  state: ServiceDeploymentState
  hooks: HookSnapshot[]
  rollbackReason?: string
  /** What the cloud returns to, as an `externalDeploymentId`. */
  returnsTo?: string
  breaker?: { status: string; failureCount?: number; threshold?: number }
  alarms?: { status: string; triggered: string[] }
}

/** The service's primary deployment: what the service is being brought to, or has been. */
export type PrimaryDeployment = { id: string; taskDefinitionArn: string }

/** What a service is before we touch it. */
export type ServiceFacts = {
  primary?: PrimaryDeployment
  /** The task definition that the primary deployment runs, where it could be read: it is only shown. */
  current?: TaskDefinitionRecord
  /** The primary deployment has come to its end. */
  isSettled?: boolean
  newestServiceDeploymentArn?: string
  /** Who carries out its releases: `ECS`, `CODE_DEPLOY` or `EXTERNAL`. */
  controller?: string
  /** `REPLICA` or `DAEMON`. */
  schedulingStrategy?: string
  routing?: ServiceRouting
  /** Alarms that roll its releases back, unless the release names others. */
  alarmNames?: string[]
}

/**
 * Network load balancers have no rules: what is shifted there is a listener (`productionListenerRule` of the ECS API).
 */
export const isListener = (arn: string): boolean => arn.includes(':listener/')

/** Where a production listener rule sends traffic. */
export type RuleTraffic = {
  ruleArn: string
  /** Percent of the traffic by target group, without those that get none. */
  shares: Readonly<Record<string, number>>
  /** Types of its actions that do not forward, such as `authenticate-oidc`. */
  otherActions: string[]
}

/** Where the production listener rules of a service send traffic, and how many targets each of its groups has. */
export type ProductionTraffic = { rules: RuleTraffic[]; targetCounts: ReadonlyMap<string, number> }

/** What the alarms of a release are when it starts. */
export type AlarmReading = { inAlarm: string[]; missing: string[] }

/** Why something that a release can do without could not be read: sentences. */
export type Unchecked = { unchecked: string }

/** A one-off task, as the cloud shows it. */
export type TaskSnapshot = {
  hasEnded: boolean
  /** Of the container that decides; absent where it never ran. */
  exitCode?: number
  /** Why it ended, in the cloud's words. */
  reason: string
  /** The last lines that it wrote, where they can be read. */
  log?: string[]
}

/** What an operator would look up after a failure; every line is a sentence or the cloud's own words. */
export type Diagnosis = {
  stoppedTasks: string[]
  targetHealth: string[]
  serviceEvents: string[]
  /** What a task of the new version ended of, and the last that its container wrote. */
  death?: { cause: string; container: string; lastLines: string[] }
}

/** The release that a service had last, whoever began it. */
export type LatestRelease = { serviceArn: string; serviceDeploymentArn: string }

/** A release of a service that somebody else began, as the cloud shows it. */
export type OutsideRelease = {
  serviceDeploymentArn: string
  /** The cloud's id of the deployment on the service. */
  externalDeploymentId: string
  /** The cloud turns it back, or did, because its breaker or an alarm told it to. */
  isTurnedBack: boolean
  createdAt: Date
  isOver: boolean
  taskDefinition: TaskDefinitionRecord
  /** What the service ran before. */
  previous?: TaskDefinitionRecord
  strategy: EcsStrategy
}

/** Where the new version stands in relation to the users' traffic. */
export function trafficPhaseOf(stage: string | undefined, productionWeight: number): TrafficPhase {
  if (productionWeight >= 100) return 'production'
  if (productionWeight > 0 || stage === 'PRODUCTION_TRAFFIC_SHIFT') return 'shifting'
  if (stage === 'TEST_TRAFFIC_SHIFT' || stage === 'POST_TEST_TRAFFIC_SHIFT') return 'test'
  return 'standby'
}

/** A service as it stands, whoever made it: what it takes to release to it from now on. */
export type StandingService = ServiceInEnvironment & {
  name: string
  /** Who carries out its releases: `ECS`, or another that the cloud names. */
  controller: string
  isSettled: boolean
  primary?: PrimaryDeployment
  /** When the primary deployment began. */
  since?: Date
  serviceDeploymentArn?: string
  strategy: EcsStrategy
  routing: ServiceRouting
  /** The first pair of target groups between which traffic is shifted, where the service knows it. */
  trafficShift?: TrafficShift
  /** The container that the load balancer sends to. */
  balancedContainer?: string
  /** Lifecycle hooks that call something of the account's own: a release replaces them. */
  callingHooks: string[]
  hasBreaker: boolean
  taskDefinition: TaskDefinitionRecord
  tags: { key: string; value: string }[]
}

/**
 * The images and log groups of a task definition that someone removed since it ran. No task starts without its log
 * groups; an image may return by itself, such as one of a pull-through cache.
 */
export type MissingParts = { images: string[]; logGroups: string[] }
