import type { UserFacingError } from '@sluice/contract'

/** The service answered, and said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** What went wrong, in the one shape that every error has. */
  readonly error: UserFacingError
  /** After how long it makes sense to ask again, where the service said so. Milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, error: UserFacingError, retryAfterMs?: number) {
    super(error.message)
    this.status = status
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}
