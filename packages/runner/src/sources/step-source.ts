import type { OrderedSource } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { type CheckedOut, checkOutOnce } from './checkout.ts'
import type { Repositories } from './repositories.ts'
import { SourceTrouble } from './source-trouble.ts'

/** The source of a step on this machine; what is wrong with it ends the step. */
export async function stepSource(
  attempt: Attempt,
  source: OrderedSource,
  repositories: Repositories,
): Promise<CheckedOut> {
  try {
    return await checkOutOnce(source, { repositories, attempt })
  } catch (error) {
    if (!(error instanceof SourceTrouble)) throw error
    const { message, said } = error
    throw new StepFailure('sourceUnavailable', message, said ? { description: said } : {})
  }
}
