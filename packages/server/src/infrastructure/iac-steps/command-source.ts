import { failures } from '@sluice/contract'
import type { CheckOut } from '../../pipelines/runner/command.ts'
import type { Db } from '../../platform/db/open.ts'
import { checkOut } from '../adapter/checkout.ts'
import type { Repositories } from '../adapter/repositories.ts'
import { SourceTrouble } from '../adapter/source-trouble.ts'
import { StepFailure } from './failure.ts'
import { sourceOf } from './setup.ts'

/** Checks out the sources of commands, as those of the iac tool. */
export const commandSources =
  ({ db, repositories }: { db: Db; repositories: Repositories }): CheckOut =>
  async (given, directory, { step, signal }) => {
    try {
      const { organizationId } = step
      return await checkOut(await sourceOf(db, organizationId, given), directory, {
        organizationId,
        repositories,
        signal,
      })
    } catch (error) {
      if (!(error instanceof SourceTrouble || error instanceof StepFailure)) throw error
      const said = error instanceof SourceTrouble ? error.said : undefined
      const { code } = failures.sourceUnavailable
      return { error: { code, message: error.message, ...(said && { description: said }) } }
    }
  }
