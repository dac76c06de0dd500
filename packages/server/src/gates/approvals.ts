import type { Delegators, PolicyVerdict } from '@sluice/contract'
import type { Caller } from '../platform/auth/caller.ts'
import type { Db } from '../platform/db/open.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { listed } from '../platform/http/listed.ts'
import type { Approvals } from './approval-rules/load.ts'
import {
  findIneligibilityReasonForAll,
  type IneligibilityReason,
  type RequiredApprovals,
  type RequiredApprovalsWithTeams,
  reasonMessages,
  substitutedApprovers,
} from './approval-rules/machine.ts'
import { type ApprovalActor, loadApprovers, personOf } from './approval-rules/person.ts'
import { evaluatePolicies } from './policies/evaluation.ts'
import { withOverride } from './policies/machine.ts'
import { overridesInForce } from './policies/store.ts'
import type { Scope } from './scope.ts'

export {
  type ApprovalQuestion,
  type Approvals,
  type GivenApproval as Given,
  hasRulesFor,
  loadApprovals,
  representDemands,
} from './approval-rules/load.ts'
export {
  type Guarded,
  missingApprovals,
  type RequiredApprovals,
  type Rule,
  reasonMessages as reasonsInWords,
  type TeamNames,
  teamsAsText as teamsInWords,
} from './approval-rules/machine.ts'
export { rulesOfPolicies } from './policies/approval-requirements.ts'
export { approvalVerdicts as asking } from './policies/machine.ts'

/** Returns the enforced requirements: rules that only warn require no one. */
export const enforcedRequirements = ({ demands }: Pick<RequiredApprovalsWithTeams, 'demands'>): RequiredApprovals[] =>
  demands.filter(({ rule }) => rule.mode === 'ENFORCE')

/** Returns the requirements that are not met yet. */
export const unmetRequirements = (asked: Pick<RequiredApprovalsWithTeams, 'demands'>): RequiredApprovals[] =>
  enforcedRequirements(asked).filter(({ isMet }) => !isMet)

/**
 * Returns why the caller does not count for any enforced rule; undefined if the caller counts for one or there is none.
 */
export async function findCallerIneligibility(
  db: Db,
  caller: Caller,
  approvals: Approvals,
  now: Date,
): Promise<IneligibilityReason | undefined> {
  const rules = enforcedRequirements(approvals).map(({ rule }) => rule)
  if (rules.length === 0) return undefined
  return findIneligibilityReasonForAll(rules, await personOf(db, caller, now), approvals.guarded)
}

/**
 * Returns whom the caller substitutes for.
 * @throws {ApiError} if the caller does not count for any enforced rule
 */
export async function requireEligibleApprover(
  tx: Db,
  caller: Caller,
  approvals: Approvals,
  {
    now,
    words = reasonMessages,
    title = 'Rules',
  }: { now: Date; words?: Record<IneligibilityReason, string>; title?: string },
): Promise<Delegators | null> {
  const rules = enforcedRequirements(approvals).map(({ rule }) => rule)
  if (rules.length === 0) return null
  const person = await personOf(tx, caller, now)
  const reason = findIneligibilityReasonForAll(rules, person, approvals.guarded)
  if (reason === undefined) return substitutedApprovers(rules, person, approvals.guarded)
  const names = rules.map(({ name }) => name)
  throw new ApiError('notCounted', words[reason], { details: listed(title, names) })
}

/** Returns the users who count for an open requirement; all of them if none is open. */
export async function listEligibleApprovers(
  db: Db,
  organizationId: string,
  people: readonly ApprovalActor[],
  approvals: Approvals | undefined,
): Promise<ReadonlySet<string>> {
  const rules = approvals ? unmetRequirements(approvals).map(({ rule }) => rule) : []
  if (!approvals || rules.length === 0) return new Set(people.map(({ id }) => id))
  const found = await loadApprovers(db, organizationId, people)
  const counted = found.filter(
    (person) => findIneligibilityReasonForAll(rules, person, approvals.guarded) === undefined,
  )
  return new Set(counted.map(({ id }) => id))
}

type At = { scope: Scope; now: Date }

/** Returns policy decisions with the current overrides. */
export async function withOverrides(
  tx: Db,
  organizationId: string,
  verdicts: readonly PolicyVerdict[],
  { scope: place, now }: At,
): Promise<PolicyVerdict[]> {
  if (verdicts.length === 0) return []
  const overrides = await overridesInForce(tx, organizationId, now)
  return verdicts.map((verdict) => withOverride(verdict, overrides, { place, now }))
}

/** Returns the policy decisions about a plan that does not exist yet, so that no policy can be evaluated. */
export function verdictsOnUnknownPlan(tx: Db, organizationId: string, { scope, now }: At): Promise<PolicyVerdict[]> {
  const evaluate = async () => ({ trouble: 'the plan is made only when everything is destroyed' })
  return evaluatePolicies(tx, { organizationId, guards: 'PLANS', place: scope, isRollback: false, now, evaluate })
}
