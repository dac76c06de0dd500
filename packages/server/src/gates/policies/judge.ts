import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { type Stopped, StoppedByPolicy } from '../denials.ts'
import { askExpressions } from './ask.ts'
import type { Subject } from './evaluate.ts'
import { guarding, type Judged, stoppedBy, verdictsOf } from './machine.ts'
import { overridesInForce, policiesInForce } from './store.ts'

type Question = Judged & {
  organizationId: string
  guards: PolicyGuards
  now: Date
  /** What expressions see of it; asked only where a policy guards it. */
  subject: () => Promise<Subject>
}

/** Judges something by the policies that guard it. To be called within `answered`. */
export async function judge(
  tx: Db,
  { organizationId, guards, now, subject, ...judged }: Question,
): Promise<PolicyVerdict[]> {
  const policies = guarding(await policiesInForce(tx, organizationId, guards), judged)
  if (policies.length === 0) return []
  const expressions = policies.map(({ expression }) => expression)
  const asked = askExpressions(guards, expressions, [await subject()])
  return verdictsOf(policies, asked, await overridesInForce(tx, organizationId, now), { ...judged, now })
}

/** Judges what cannot be seen yet, for this reason: no policy that guards it can be evaluated. */
export async function judgeUnseen(
  tx: Db,
  { organizationId, guards, now, ...judged }: Omit<Question, 'subject'>,
  trouble: string,
): Promise<PolicyVerdict[]> {
  const policies = guarding(await policiesInForce(tx, organizationId, guards), judged)
  if (policies.length === 0) return []
  return verdictsOf(policies, { trouble }, await overridesInForce(tx, organizationId, now), { ...judged, now })
}

/** Refuses what a policy stops. */
export function refuseIfStopped(verdicts: readonly PolicyVerdict[], of: Stopped): void {
  const stop = stoppedBy(verdicts)
  if (stop) throw new StoppedByPolicy(stop, of)
}
