import { type ApiErrorKey, apiErrors, type UserFacingError } from '@sluice/contract'

type ApiErrorExtras = Pick<UserFacingError, 'description' | 'action' | 'details' | 'metadata'>

/** Error that the caller can act on: a key of the error catalog, and a message with the invalid value and a remedy. */
export class ApiError extends Error {
  readonly key: ApiErrorKey
  readonly extras: ApiErrorExtras
  /** Headers of the response, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    key: ApiErrorKey,
    message: string,
    extras: ApiErrorExtras = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.key = key
    this.extras = extras
    this.headers = headers
  }

  get status(): number {
    return apiErrors[this.key].status
  }

  toBody(requestId: string): UserFacingError {
    return { code: apiErrors[this.key].code, message: this.message, ...this.extras, requestId }
  }
}
