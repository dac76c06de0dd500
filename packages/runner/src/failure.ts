import { type FailureKey, failures } from '@sluice/contract/errors'
import type { Outcome } from '@sluice/contract/runner-protocol'

type StepError = Extract<Outcome, { status: 'ERROR' }>['error']
type ErrorExtras = Pick<StepError, 'description' | 'action' | 'details' | 'metadata'>

/** Fails a step with an error that users read. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly error: StepError

  constructor(key: FailureKey, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.error = { code: failures[key].code, message, ...extras }
  }
}
