import type { ServiceDeploymentState, TaskDefinitionRecord } from '@sluice/contract'

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
}

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
export type Diagnosis = { stoppedTasks: string[]; targetHealth: string[]; serviceEvents: string[] }
