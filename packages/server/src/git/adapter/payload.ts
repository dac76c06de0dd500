import type { Payload } from './host.ts'

/** Maximum size of a stored payload, in characters. */
const maxPayloadBytes = 64 * 1024

/** Long lists that are omitted, because they are already processed. */
const leftOut = ['commits', 'head_commit']

/** Returns the payload to store with an event, or none if it is too large. */
export function payloadToStore(payload: object): { payload?: Payload } {
  const kept = Object.fromEntries(Object.entries(payload).filter(([name]) => !leftOut.includes(name)))
  return JSON.stringify(kept).length > maxPayloadBytes ? {} : { payload: kept }
}
