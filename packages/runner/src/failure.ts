import { type FailureKey, failures } from '@sluice/contract/errors'
import type { Outcome } from '@sluice/contract/runner-protocol'

type StepError = Extract<Outcome, { status: 'ERROR' }>['error']
type Extras = Pick<StepError, 'description' | 'action' | 'details' | 'metadata'>

/** Ends a step with an error that a person reads. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly error: StepError

  constructor(key: FailureKey, message: string, extras: Extras = {}) {
    super(message)
    this.error = { code: failures[key].code, message, ...extras }
  }
}
