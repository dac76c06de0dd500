import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { outputsOf } from '../../stacks/stacks/outputs.ts'
import { findStack } from '../../stacks/stacks/store.ts'

/** Returns the output of an applied plan for other steps. */
export async function outputOf(db: Db, seal: Seal, plan: IacPlanRow): Promise<Record<string, unknown>> {
  const stack = await findStack(db, plan.organizationId, plan.stackId)
  const outputs = stack ? outputsOf(seal, stack).open : {}
  return { plan_id: plan.id, outputs, summary: plan.summary }
}
