import type { Db } from '../platform/db/open.ts'
import { findStack, findStackNamed } from '../stacks/store.ts'
import type { StackRow } from '../stacks/tables.ts'
import { StepFailure } from './failure.ts'

/** The stack that a step works on: by its id, or by its givenId in the pipeline's project. */
export async function stackOf(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { stack_id: id, stack: givenId }: { stack_id?: string; stack?: string },
): Promise<StackRow> {
  if (id !== undefined) {
    const stack = await findStack(db, organizationId, id)
    if (stack) return stack
    throw new StepFailure('iacStackNotFound', `There is no stack ${id} in this organization.`)
  }
  if (givenId !== undefined) {
    const stack = await findStackNamed(db, organizationId, projectId, givenId)
    if (stack) return stack
    throw new StepFailure('iacStackNotFound', `There is no stack ${givenId} in the project of the pipeline.`)
  }
  throw new StepFailure('iacStepInvalid', 'Name the stack, by `with.stack` or `with.stack_id`.')
}
