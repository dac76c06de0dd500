import { type FailureKey, failures, type UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'

type Extras = Pick<UserFacingError, 'description' | 'action' | 'details' | 'metadata'>

/** Thrown to fail a step with an error for the user. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly key: FailureKey
  readonly extras: Extras
  constructor(key: FailureKey, message: string, extras: Extras = {}) {
    super(message)
    this.key = key
    this.extras = extras
  }

  toError(): UserFacingError {
    return { code: failures[this.key].code, message: this.message, ...this.extras }
  }
}

/** Thrown to end a step successfully, because no work is left. */
export class NothingLeft extends Error {
  override readonly name = 'NothingLeft'
  readonly outcome: Outcome
  constructor(output: Record<string, unknown>) {
    super('there is nothing left to do')
    this.outcome = { status: 'SUCCESS', output }
  }
}
