import type { ServiceDeploymentState, TaskDefinitionRecord, TrafficPhase } from '@sluice/contract'
import type { ServiceRouting } from './ecs-configuration.ts'
import type { PauseStage } from './pause-stage.ts'

export type ServiceInEnvironment = { clusterArn: string; serviceArn: string }

/** Reports whether an ARN names an ECS service: `…:ecs:…:service/CLUSTER/NAME`. */
export const isServiceArn = (arn: string | null): arn is string =>
  arn?.split(':')[2] === 'ecs' && arn.includes(':service/')

/** Returns a service with its cluster, whose ARN it derives. */
export const serviceWithCluster = (serviceArn: string): ServiceInEnvironment => ({
  serviceArn,
  clusterArn: serviceArn.replace(/:service\/([^/]+)\/.*$/, ':cluster/$1'),
})

/** Deployment strategy of a service. */
export type EcsStrategy =
  | { type: 'rolling' }
  | {
      type: 'blue_green' | 'linear' | 'canary'
      bakeTimeInMinutes: number
      linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
      canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
      pauseStages: PauseStage[]
    }

/** Target groups and listener rules between which ECS shifts traffic. */
export type TrafficShift = {
  targetGroupArn: string
  alternateTargetGroupArn: string
  productionListenerRuleArn: string
  testListenerRuleArn?: string
  infrastructureRoleArn: string
}

/** One-off task that runs a command of the new revision before or after the release. */
export type Command = {
  /** Container whose exit code decides. */
  container: string
  /** Overrides of the task definition, in ECS's format. */
  overrides: Record<string, unknown>
  /** In ECS's format; absent: the service's. */
  networkConfiguration?: Record<string, unknown>
  capacityProviderStrategy?: Record<string, unknown>[]
  enableExecuteCommand?: boolean
  /** Seconds after which the task is stopped and counts as failed. */
  timeoutSeconds: number
}

/** Release settings sent to a service. */
export type ServiceRelease = ServiceInEnvironment & {
  trafficShift?: TrafficShift
  strategy: EcsStrategy
  /** Names of alarms that roll back the release; absent: the service's own. */
  alarms?: string[]
}

/** Pause hook of a service deployment, as ECS returns it. */
export type HookSnapshot = {
  hookId: string
  /** Present while the hook waits. */
  lifecycleStage?: string
  /** `AWAITING_ACTION`, `SUCCEEDED` (continued), `FAILED` (rolled back), `TIMED_OUT`, or a new status of ECS. */
  status: string
  timeoutAction: string
  /** Time at which the hook times out, in RFC 3339. */
  expiresAt?: string
}

/** State of a service deployment at one poll. */
export type ServiceDeploymentSnapshot = {
  state: ServiceDeploymentState
  hooks: HookSnapshot[]
  rollbackReason?: string
  /** Deployment that ECS rolls back to, as an `externalDeploymentId`. */
  returnsTo?: string
  breaker?: { status: string; failureCount?: number; threshold?: number }
  alarms?: { status: string; triggered: string[] }
}

/** Primary deployment of a service: the target of the current or last change. */
export type PrimaryDeployment = { id: string; taskDefinitionArn: string }

/** State of a service before the release. */
export type ServiceFacts = {
  primary?: PrimaryDeployment
  /** Task definition of the primary deployment, if readable. Only displayed. */
  current?: TaskDefinitionRecord
  /** Whether the primary deployment has ended. */
  isSettled?: boolean
  newestServiceDeploymentArn?: string
  /** Deployment controller: `ECS`, `CODE_DEPLOY` or `EXTERNAL`. */
  controller?: string
  schedulingStrategy?: string
  routing?: ServiceRouting
  /** Alarms that roll back releases, unless the release names others. */
  alarmNames?: string[]
}

/** Reports whether an ARN is a listener's. Network load balancers have no rules, so ECS shifts their listeners. */
export const isListener = (arn: string): boolean => arn.includes(':listener/')

/** Targets of a production listener rule. */
export type RuleTraffic = {
  ruleArn: string
  /** Percentage of traffic by target group, omitting groups without traffic. */
  shares: Readonly<Record<string, number>>
  /** Types of its other actions, such as `authenticate-oidc`. */
  otherActions: string[]
}

/** Targets of a service's production listener rules, with the number of targets per target group. */
export type ProductionTraffic = { rules: RuleTraffic[]; targetCounts: ReadonlyMap<string, number> }

/** State of a release's alarms when it starts. */
export type AlarmReading = { inAlarm: string[]; missing: string[] }

/** Sentence that says why optional data could not be read. */
export type Unchecked = { unchecked: string }

/** State of a one-off task. */
export type TaskSnapshot = {
  hasEnded: boolean
  /** Exit code of the deciding container; absent if it never ran. */
  exitCode?: number
  /** Stop reason from the cloud. */
  reason: string
  /** Last log lines, if readable. */
  log?: string[]
}

/** What an operator would look up after a failure. Every entry is a sentence or a message of the cloud. */
export type Diagnosis = {
  stoppedTasks: string[]
  targetHealth: string[]
  serviceEvents: string[]
  /** Why a task of the new version ended, with the container's last log lines. */
  death?: { cause: string; container: string; lastLines: string[] }
}

/** Latest service deployment of a service, including external deployments. */
export type LatestRelease = { serviceArn: string; serviceDeploymentArn: string }

/** Service deployment that was not started by Sluice. */
export type ExternalDeployment = {
  serviceDeploymentArn: string
  /** Deployment id on the service. */
  externalDeploymentId: string
  /** Whether the circuit breaker or an alarm rolled it back, or is rolling it back. */
  isTurnedBack: boolean
  createdAt: Date
  isOver: boolean
  taskDefinition: TaskDefinitionRecord
  /** Task definition that the service ran before. */
  previous?: TaskDefinitionRecord
  strategy: EcsStrategy
  /** Pairs of target groups between which it shifts traffic, one per load balancer. Empty for a rolling deployment. */
  trafficShifts: TrafficShift[]
}

/** Returns whether the new version receives no, test or production traffic. */
export function trafficPhaseOf(stage: string | undefined, productionWeight: number): TrafficPhase {
  if (productionWeight >= 100) return 'production'
  if (productionWeight > 0 || stage === 'PRODUCTION_TRAFFIC_SHIFT') return 'shifting'
  if (stage === 'TEST_TRAFFIC_SHIFT' || stage === 'POST_TEST_TRAFFIC_SHIFT') return 'test'
  return 'standby'
}

/** Existing service with the settings needed to import it. */
export type ExistingService = ServiceInEnvironment & {
  name: string
  /** Deployment controller: `ECS`, or another that the cloud names. */
  controller: string
  isSettled: boolean
  primary?: PrimaryDeployment
  /** Start of the primary deployment. */
  since?: Date
  serviceDeploymentArn?: string
  strategy: EcsStrategy
  routing: ServiceRouting
  /** First pair of target groups between which traffic shifts, if configured. */
  trafficShift?: TrafficShift
  /** Container to which the load balancer sends requests. */
  balancedContainer?: string
  /** Lifecycle hooks that call resources of the account. A release replaces them. */
  callingHooks: string[]
  hasBreaker: boolean
  taskDefinition: TaskDefinitionRecord
  tags: { key: string; value: string }[]
}

/**
 * Images and log groups of a task definition that no longer exist. No task starts without its log groups; an image may
 * return, such as one behind a pull-through cache.
 */
export type MissingParts = { images: string[]; logGroups: string[] }
