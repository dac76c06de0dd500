import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { type PolicyResults, type PolicyTarget, policiesFor, verdictsOf } from './machine.ts'
import { overridesInForce, policiesInForce } from './store.ts'

type Question = PolicyTarget & {
  organizationId: string
  guards: PolicyGuards
  now: Date
  /** Evaluates expressions, or returns why none can be evaluated; called only if a policy applies. */
  evaluate: (expressions: readonly string[]) => Promise<PolicyResults>
}

/** Returns the decisions of the policies that apply to a subject. Must be called within `answered`. */
export async function evaluatePolicies(
  tx: Db,
  { organizationId, guards, now, evaluate, ...judged }: Question,
): Promise<PolicyVerdict[]> {
  const policies = policiesFor(await policiesInForce(tx, organizationId, guards), judged)
  if (policies.length === 0) return []
  const asked = await evaluate(policies.map(({ expression }) => expression))
  return verdictsOf(policies, asked, await overridesInForce(tx, organizationId, now), { ...judged, now })
}
