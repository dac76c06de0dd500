import type { Payload } from './host.ts'

/** More is not kept with each delivery. Characters. */
const longest = 64 * 1024

/** The lists of commits and files are long, and read already. */
const leftOut = ['commits', 'head_commit']

/** The host's own words that are kept with an event; none where there are too many. */
export function keptPayload(payload: object): { payload?: Payload } {
  const kept = Object.fromEntries(Object.entries(payload).filter(([name]) => !leftOut.includes(name)))
  return JSON.stringify(kept).length > longest ? {} : { payload: kept }
}
