import type { RehearsalScenarioName } from '@sluice/contract'
import type { DeploymentState } from '@sluice/server/delivery/deployments/execution/state'
import type { Fault } from './scenarios.ts'

/** Tasks and traffic of a version. */
export type VersionSum = { taskCount: number; trafficPercent: number; errorPercent: number }

/** Returns a version without tasks, with this share of the traffic. Its errors are not simulated. */
export const withTraffic = (trafficPercent: number): VersionSum => ({ taskCount: 0, trafficPercent, errorPercent: 0 })

export type Versions = { old: VersionSum; new: VersionSum }

/** Copy of what a release changes, in the simulated cloud. */
export interface Copy {
  /** Creates it and waits until it is stable. */
  create(): Promise<void>
  /** Returns tasks and traffic of the previous version and of the new one. */
  versions(row: DeploymentState): Versions
  /** Reports whether an event of the cloud requires a poll of the release. */
  concernsRelease(eventType: string): boolean
  /** Scenarios that apply to it. */
  readonly scenarios: Partial<Record<RehearsalScenarioName, Fault>>
  /** Change of the module that would make the release safer after it ended like this; undefined if none would help. */
  suggestion(end: ScenarioEnd): string | undefined
}

/** How a release ended in a scenario. */
export type ScenarioEnd = {
  /** Predefined scenario; undefined of a composed one. */
  scenario: RehearsalScenarioName | undefined
  outcome: DeploymentState['status']
  errorSeconds: number
  /** Whether users still see errors after the release. */
  isStillBroken: boolean
  pauseCount: number
}
