import type { Db } from '../platform/db/open.ts'
import { findStackNamed } from '../stacks/store.ts'
import type { StackRow } from '../stacks/tables.ts'
import { StepFailure } from './failure.ts'

/** The stack that a step works on: by its id, or by its givenId in the pipeline's project. */
export async function stackOf(
  db: Db,
  place: { organizationId: string; projectId: string },
  { stack_id: id, stack: givenId }: { stack_id?: string; stack?: string },
): Promise<StackRow> {
  if (id === undefined && givenId === undefined) {
    throw new StepFailure('iacStepInvalid', 'Name the stack, by `with.stack` or `with.stack_id`.')
  }
  const stack = await findStackNamed(db, place, { id, givenId })
  if (stack) return stack
  throw new StepFailure('iacStackNotFound', `There is no stack ${id ?? givenId} for this pipeline.`)
}
