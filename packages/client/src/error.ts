import type { UserFacingError } from '@sluice/contract'

/** Error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Error body, which has the same format for all errors. */
  readonly error: UserFacingError
  /** Time after which the service suggests a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, error: UserFacingError, retryAfterMs?: number) {
    super(error.message)
    this.status = status
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}
