import { type RefusalKey, refusals, type UserFacingError } from '@sluice/contract'

type RefusalExtras = Pick<UserFacingError, 'description' | 'action' | 'details' | 'metadata'>

/** Error that the caller can act on: a key of the error catalog, and a message with the invalid value and a remedy. */
export class Refusal extends Error {
  readonly key: RefusalKey
  readonly extras: RefusalExtras
  /** Headers of the response, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    key: RefusalKey,
    message: string,
    extras: RefusalExtras = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.key = key
    this.extras = extras
    this.headers = headers
  }

  get status(): number {
    return refusals[this.key].status
  }

  toBody(requestId: string): UserFacingError {
    return { code: refusals[this.key].code, message: this.message, ...this.extras, requestId }
  }
}
