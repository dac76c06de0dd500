import type { PolicyGuards, PolicyVerdict, UserFacingError } from '@sluice/contract'
import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { askExpressions } from './ask.ts'
import type { Subject } from './evaluate.ts'
import { guarding, inWords, type Judged, stopping, verdictsOf, warning, wayOut } from './machine.ts'
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

/** Refuses what a policy stops. */
export function refuseIfStopped(verdicts: readonly PolicyVerdict[]): void {
  const stop = stoppedBy(verdicts)
  if (stop) throw new Refusal('stoppedByPolicy', stop.message, stop.extras)
}

type Stop = { message: string; extras: Pick<UserFacingError, 'description' | 'details' | 'metadata'> }

/** What is said of something that policies stop; undefined where none does. */
export function stoppedBy(verdicts: readonly PolicyVerdict[]): Stop | undefined {
  const stops = stopping(verdicts)
  const [first, ...others] = stops
  if (!first) return undefined
  const further = others.length === 0 ? '' : ` So do ${others.length} more, which the details name.`
  const { policyId, version, name, verdict } = first
  const description = stops.map(wayOut).join(' ')
  const details = [{ title: 'Policies', render: 'list' as const, items: stops.map(inWords) }]
  const metadata = { policyId, version, name, verdict }
  return { message: `It is stopped by ${inWords(first)}${further}`, extras: { description, details, metadata } }
}

/** A policy that only warns is known by what it would have stopped. `of`: what went on all the same, by its ids. */
export async function noteWarnings(
  tx: Db,
  organizationId: string,
  verdicts: readonly PolicyVerdict[],
  of: { [record: string]: string | undefined },
): Promise<void> {
  for (const { policyId, name, version, verdict, message } of warning(verdicts)) {
    const details = { name, version, verdict, message, ...of }
    const change = { action: 'policies.warn', resourceType: 'policy', resourceId: policyId, details }
    await recordChange(tx, theService(organizationId), change)
  }
}
