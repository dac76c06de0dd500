import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { type Asked, guarding, type Judged, verdictsOf } from './machine.ts'
import { overridesInForce, policiesInForce } from './store.ts'

type Question = Judged & {
  organizationId: string
  guards: PolicyGuards
  now: Date
  /** Evaluates expressions, or returns why none can be evaluated; called only if a policy applies. */
  evaluate: (expressions: readonly string[]) => Promise<Asked>
}

/** Returns the decisions of the policies that apply to a subject. Must be called within `answered`. */
export async function judge(
  tx: Db,
  { organizationId, guards, now, evaluate, ...judged }: Question,
): Promise<PolicyVerdict[]> {
  const policies = guarding(await policiesInForce(tx, organizationId, guards), judged)
  if (policies.length === 0) return []
  const asked = await evaluate(policies.map(({ expression }) => expression))
  return verdictsOf(policies, asked, await overridesInForce(tx, organizationId, now), { ...judged, now })
}
