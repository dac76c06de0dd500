import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import type { Action } from '../../modules/module-instances/machine.ts'
import type { Db } from '../../platform/db/open.ts'

type Json = Record<string, unknown>

/**
 * Where the programs of a run are to run by the first of these inputs that says so; with the account and the region of
 * that place, for what names none itself.
 */
export async function placeOfInput(
  tx: Db,
  organizationId: string,
  given: readonly Json[],
  action: Action,
): Promise<{ id: string | undefined; inputs: Json }> {
  const id = given.map((inputs) => inputs.execution_environment_id).find((named) => named)
  if (typeof id !== 'string') return { id: undefined, inputs: {} }
  const found = await findExecutionEnvironment(tx, organizationId, id)
  // What is to go need not be right any more; whatever else names nothing is refused where the run starts.
  if (!found) return { id: action === 'change' ? id : undefined, inputs: {} }
  const { cloudAccountId, region } = found
  return {
    id,
    inputs: {
      ...(cloudAccountId !== null && { cloud_account_id: cloudAccountId }),
      ...(region !== null && { cloud_region: region }),
    },
  }
}
