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
  breaker?: { status: string; failureCount?: number; threshold?: number }
  alarms?: { status: string; triggered: string[] }
}

/** The service's primary deployment: what the service is being brought to, or has been. */
export type PrimaryDeployment = { id: string; taskDefinitionArn: string }

/** What a service is before we touch it. */
export type ServiceFacts = {
  primary?: PrimaryDeployment
  /** The task definition that the primary deployment runs. */
  current?: TaskDefinitionRecord
  newestServiceDeploymentArn?: string
}

/** What an operator would look up after a failure; every line is a sentence or the cloud's own words. */
export type Diagnosis = { stoppedTasks: string[]; targetHealth: string[]; serviceEvents: string[] }
