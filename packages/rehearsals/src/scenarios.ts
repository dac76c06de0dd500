import type { RehearsalFault } from '@sluice/contract'
import type { RequestedScenario } from '@sluice/server/delivery/rehearsals/job'
import type { Copy } from './copy.ts'
import type { RehearsedRelease } from './rehearsed-release.ts'
import { rounded } from './timeline.ts'

/** What goes wrong in a scenario. A composed scenario has several faults, in one copy. */
export interface Fault {
  /** Prepares the simulated cloud before the release begins. */
  prepare?(release: RehearsedRelease): Promise<unknown>
  incident?: Incident
  /** Whether users leave pauses until their timeout. */
  leavesPauses?: boolean
}

/** Fault that occurs once during the release. */
export interface Incident {
  message: string
  /** Reports whether the fault is due at this share of the traffic. */
  isDue(newTrafficPercent: number): boolean
  /** Time from then until it occurs, in milliseconds. Defaults to 0. */
  delayMs?: number
  happen?(release: RehearsedRelease): Promise<unknown>
  /** Whether all requests to the new version fail after the incident, without failing health checks. */
  breaksRequests?: boolean
  /** Later consequence of the incident, unless users see no errors by then. */
  sequel?: { afterMs: number; message: string; happen(release: RehearsedRelease): Promise<unknown> }
}

/**
 * Returns the faults of a predefined or composed scenario.
 * @throws {Error} if one does not apply to the copy
 */
export function faultsOf(requested: RequestedScenario, copy: Copy): Fault[] {
  if (typeof requested === 'string') return [faultOf(requested, copy)]
  return requested.faults.map((wanted) => withTiming(faultOf(wanted.type, copy), wanted))
}

function faultOf(name: keyof Copy['scenarios'], { scenarios }: Copy): Fault {
  const fault = scenarios[name]
  if (!fault) throw new Error(`${name} does not apply to the release.`)
  return fault
}

/** Returns the fault with the requested time of its incident. */
function withTiming(fault: Fault, { trafficPercent, afterSeconds = 0 }: RehearsalFault): Fault {
  const { incident } = fault
  if (!incident) return fault
  const isDue = trafficPercent === undefined ? incident.isDue : (share: number) => share >= rounded(trafficPercent)
  return { ...fault, incident: { ...incident, isDue, delayMs: afterSeconds * 1_000 } }
}

/** Scenarios that do not depend on what is released. */
export const commonScenarios = {
  NO_FAULT: {},
  PAUSE_TIMES_OUT: { leavesPauses: true },
  CLOUD_THROTTLES: { prepare: ({ cloud }) => cloud.control.addFault({ kind: 'throttle', probability: 0.5 }) },
  RESTART_DURING_CHANGE: { prepare: async (release) => release.loseSaves() },
} satisfies Record<string, Fault>
