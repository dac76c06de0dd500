import type { CallLog } from './calls.ts'
import { CloudError } from './errors.ts'
import type { World } from './world.ts'

/** Parsed request of the control API. */
export interface ControlRequest {
  world: World
  calls: CallLog
  url: URL
  body: object
  /** Decoded parameters of the path. */
  labels: Record<string, string>
}

/**
 * Control routes by method and path, such as `GET services/{account}/{service}`. A handler that returns `undefined` has
 * no response body.
 */
export type ControlRoutes = Record<string, (request: ControlRequest) => unknown>

export const badRequest = (message: string) => new CloudError('BadRequest', message)
