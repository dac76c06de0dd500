import type { OrderedSource } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { type Checkout, checkOutOnce } from './checkout.ts'
import type { Repositories } from './repositories.ts'
import { SourceError } from './source-error.ts'

/** Checks out the source of a step. @throws {StepFailure} if that fails */
export async function checkOutStepSource(
  attempt: Attempt,
  source: OrderedSource,
  repositories: Repositories,
): Promise<Checkout> {
  try {
    return await checkOutOnce(source, { repositories, attempt })
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { message, output } = error
    throw new StepFailure('sourceUnavailable', message, output ? { description: output } : {})
  }
}
