import type { CallLog } from './calls.ts'
import { CloudError } from './errors.ts'
import type { World } from './world.ts'

/** A request of the control interface, whose path was understood. */
export interface ControlRequest {
  world: World
  calls: CallLog
  url: URL
  body: object
  /** What the labels of the path stand for. */
  labels: Record<string, string>
}

/**
 * What `/_sim/` answers, by method and path: `GET services/{account}/{service}`. `undefined` is an answer without a
 * body.
 */
export type ControlRoutes = Record<string, (request: ControlRequest) => unknown>

export const badRequest = (message: string) => new CloudError('BadRequest', message)
