import type { RehearsedRelease } from './rehearsed-release.ts'

/** Faults of a release and their times. Each scenario runs in its own copy. */
export interface Scenario {
  /** Prepares the simulated cloud before the release begins. */
  prepare?(release: RehearsedRelease): Promise<unknown>
  /** Fault that occurs once during the release. */
  incident?: {
    message: string
    /** Reports whether the fault occurs at this share of the traffic. */
    isDue(newTrafficPercent: number): boolean
    happen?(release: RehearsedRelease): Promise<unknown>
    /** Whether all requests to the new version fail after the incident, without failing health checks. */
    breaksRequests?: boolean
    /** Later consequence of the incident, unless users see no errors by then. */
    sequel?: { afterMs: number; message: string; happen(release: RehearsedRelease): Promise<unknown> }
  }
  /** Whether users leave pauses until their timeout. */
  leavesPauses?: boolean
}

/** Scenarios that do not depend on what is released. */
export const commonScenarios = {
  NO_FAULT: {},
  PAUSE_TIMES_OUT: { leavesPauses: true },
  CLOUD_THROTTLES: { prepare: ({ cloud }) => cloud.control.addFault({ kind: 'throttle', probability: 0.5 }) },
  RESTART_DURING_CHANGE: { prepare: async (release) => release.loseSaves() },
} satisfies Record<string, Scenario>
