import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import type { Action } from '../../modules/module-instances/machine.ts'
import type { Db } from '../../platform/db/open.ts'

type Json = Record<string, unknown>

/** Returns the execution environment named by the first of these inputs, with its account and region as defaults. */
export async function executionEnvironmentOfInput(
  tx: Db,
  organizationId: string,
  given: readonly Json[],
  action: Action,
): Promise<{ id: string | undefined; inputs: Json }> {
  const id = given.map((inputs) => inputs.execution_environment_id).find((named) => named)
  if (typeof id !== 'string') return { id: undefined, inputs: {} }
  const found = await findExecutionEnvironment(tx, organizationId, id)
  // A destroy tolerates a missing environment. Other uses of it are rejected at the start of the run.
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
