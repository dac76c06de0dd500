import { failures, type PolicyVerdict, type UserFacingError } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import { type RequiredApprovalsWithTeams as ApprovalsAsked, missingApprovals } from '../approval-rules/machine.ts'
import type { LoadedGate, Warning } from '../evaluate.ts'
import { covers, type Scope } from '../scope.ts'
import type { PolicyEvaluation, Verdict } from './evaluate.ts'
import type { PolicyOverrideRow, PolicyRow } from './tables.ts'

export type Policy = Pick<
  PolicyRow,
  'id' | 'version' | 'name' | 'expression' | 'message' | 'effect' | 'approval' | 'rollbacks'
> &
  Scope
export type Override = Pick<PolicyOverrideRow, 'policyId' | 'reason' | 'createdBy' | 'until'> & Scope

/** Scope of a subject, and whether it is a rollback. */
export type PolicyTarget = { place: Scope; isRollback: boolean }

/**
 * Returns the policies that apply to a subject, strongest first, because the last ones fail if the budget is exceeded.
 */
export const policiesFor = <P extends Policy>(policies: readonly P[], { place, isRollback }: PolicyTarget): P[] =>
  policies
    .filter((policy) => covers(policy, place) && (policy.rollbacks || !isRollback))
    .toSorted((one, other) => strength[one.effect] - strength[other.effect])

/** Order of effects, strongest first. */
const strength = { DENY: 0, REQUIRE_APPROVAL: 1, WARN: 2 } as const satisfies Record<Policy['effect'], number>

/** Results of evaluating all policies for one subject; or why they could not be evaluated. */
export type PolicyResults = { result: readonly PolicyEvaluation[] } | { trouble: string }

/** Returns the decision of each policy. Everything that is not a valid result has failed. */
export function verdictsOf(
  policies: readonly Policy[],
  asked: PolicyResults,
  overrides: readonly Override[],
  { place, now }: { place: Scope; now: Date },
): PolicyVerdict[] {
  return policies.map((policy, index) => {
    const { id: policyId, version, name, effect } = policy
    const answer = 'trouble' in asked ? asked : asked.result[index]
    const verdict = verdictIn(answer)
    const told = { verdict: verdict.verdict, message: messageOf(policy, verdict) }
    const approval = effect === 'REQUIRE_APPROVAL' ? (policy.approval ?? undefined) : undefined
    return withOverride(present({ policyId, version, name, effect, approval, ...told }), overrides, { place, now })
  })
}

/** Returns a policy decision, with the active override if there is one. */
export function withOverride(
  verdict: PolicyVerdict,
  overrides: readonly Override[],
  { place, now }: { place: Scope; now: Date },
): PolicyVerdict {
  if (isPassed(verdict)) return verdict
  const past = overrides.find((one) => one.policyId === verdict.policyId && now < one.until && covers(one, place))
  return past ? { ...verdict, override: { reason: past.reason, createdBy: past.createdBy } } : verdict
}

function verdictIn(answer: PolicyEvaluation | { trouble: string } | undefined): Verdict {
  if (answer === undefined) return { verdict: 'FAILED', reason: 'it was not asked' }
  if ('trouble' in answer) return { verdict: 'FAILED', reason: answer.trouble }
  if ('fault' in answer) return { verdict: 'FAILED', reason: answer.fault.message }
  return answer.verdicts[0] ?? { verdict: 'FAILED', reason: 'it was not asked' }
}

/** Maximum number of characters of an expression's error that is reported. */
const maxReasonLength = 500

function messageOf({ message }: Policy, verdict: Verdict): string | undefined {
  if (verdict.verdict === 'ALLOWED') return undefined
  if (verdict.verdict === 'VIOLATED') return message
  return `It could not be evaluated: ${verdict.reason.slice(0, maxReasonLength)}`
}

/**
 * Combines earlier and current policy decisions. Approvals that were required stay required by the version that did so,
 * unless the current version requires approval or denies.
 */
export function mergeVerdicts(before: readonly PolicyVerdict[], now: readonly PolicyVerdict[]): PolicyVerdict[] {
  const isReplaced = ({ policyId, version }: PolicyVerdict) =>
    denyingVerdicts(now).some((one) => one.policyId === policyId) ||
    approvalVerdicts(now).some((one) => one.policyId === policyId && one.version !== version)
  const stays = approvalVerdicts(before).filter((one) => !isReplaced(one))
  return [...stays, ...now.filter(({ policyId }) => !stays.some((one) => one.policyId === policyId))]
}

/** Returns the decisions that differ from the earlier ones. */
export const changedVerdicts = (before: readonly PolicyVerdict[], now: readonly PolicyVerdict[]): PolicyVerdict[] =>
  now.filter(
    (one) =>
      !before.some(
        ({ policyId, version, effect, verdict }) =>
          policyId === one.policyId && version === one.version && effect === one.effect && verdict === one.verdict,
      ),
  )

const isPassed = ({ verdict, override }: PolicyVerdict) => verdict === 'ALLOWED' || override !== undefined

/** Returns the decisions that deny. */
export const denyingVerdicts = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'DENY' && !isPassed(one))

/** Returns the decisions that require approvals. */
export const approvalVerdicts = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'REQUIRE_APPROVAL' && !isPassed(one))

/** Returns the decisions that would deny if they did more than warn. */
export const warningVerdicts = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'WARN' && !isPassed(one))

/** Earlier and current policy decisions, and the approvals that are newly required. */
export type Judgement = {
  before: readonly PolicyVerdict[]
  verdicts: readonly PolicyVerdict[]
  approvals?: ApprovalsAsked | undefined
}

/**
 * Release gate for policies. They deny a request, cancel a queued deployment that is about to start, or require more
 * approvals.
 */
export const policyGate = ({ before, verdicts, approvals }: Judgement): LoadedGate => {
  const warnings = warningVerdicts(changedVerdicts(before, verdicts)).map(warningOf)
  return {
    blocker({ moment }, now) {
      const stop = denialMessageOf(verdicts)
      if (stop) return moment === 'START' ? cancelledBy(stop) : deniedBy(stop)
      const missing = approvals && missingApprovals(approvals, now)
      if (missing?.decision !== 'requireApproval') return missing
      // A step that is about to apply its plan can no longer wait for approvals.
      const unapproved =
        moment === 'TAKE_PLAN' ? missingApprovalMessageOf(verdicts.filter(isUnmet(approvals))) : undefined
      return unapproved ? deniedBy(unapproved) : { ...missing, warnings }
    },
    warnings: () => warnings,
  }
}

const isUnmet =
  (approvals: ApprovalsAsked | undefined) =>
  ({ policyId }: PolicyVerdict): boolean =>
    (approvals?.demands ?? []).some(({ rule, isMet }) => rule.id === policyId && !isMet)

const deniedBy = ({ message, extras, stops }: PolicyDenial) =>
  ({ decision: 'deny', gate: 'POLICY', key: 'stoppedByPolicy', message, ...extras, stops }) as const

function cancelledBy({ extras, stops, ...stop }: PolicyDenial) {
  const message = `It waited, and when its turn came it was judged once more. ${stop.message}`
  const error = { code: failures.releaseStoppedByPolicy.code, message, ...extras }
  return { decision: 'cancel', gate: 'POLICY', message, error, stops } as const
}

const warningOf = ({ policyId, name, version, verdict, message }: PolicyVerdict): Warning => ({
  rules: 'policies',
  resourceType: 'policy',
  resourceId: policyId,
  details: { name, version, verdict, message },
})

/** Returns the message of a policy that denies. */
export const messageFor = ({ name, version, message = '' }: PolicyVerdict): string =>
  `the policy “${name}” (version ${version}): ${message}`

/** Returns the remedy for a user whose action is denied. */
export const remedyFor = ({ policyId }: PolicyVerdict): string =>
  `Users with the permission policies:override, such as admins and owners, can override it: POST /policies/${policyId}/overrides.`

/** Message about a denied action, and the policies that deny it. */
export type PolicyDenial = {
  message: string
  extras: Pick<UserFacingError, 'description' | 'details' | 'metadata'>
  stops: readonly PolicyVerdict[]
}

/** Returns the message about an action that policies deny; undefined if none does. */
export const denialMessageOf = (verdicts: readonly PolicyVerdict[]): PolicyDenial | undefined =>
  stopOf(denyingVerdicts(verdicts), { lead: 'Denied by', ways: [] })

/** Returns the message about a plan without the approvals that policies require; undefined if none does. */
export const missingApprovalMessageOf = (unmet: readonly PolicyVerdict[]): PolicyDenial | undefined =>
  stopOf(unmet, {
    lead: 'Approvals are missing that are required by',
    ways: ['Plan again, and ask for approval of the new plan.'],
  })

function stopOf(
  stops: readonly PolicyVerdict[],
  { lead, ways }: { lead: string; ways: readonly string[] },
): PolicyDenial | undefined {
  const [first, ...others] = stops
  if (!first) return undefined
  const further = others.length === 0 ? '' : ` The details list ${others.length} more.`
  const { policyId, version, name, verdict } = first
  const description = [...ways, ...stops.map(remedyFor)].join(' ')
  const details = [{ title: 'Policies', render: 'list' as const, items: stops.map(messageFor) }]
  const metadata = { policyId, version, name, verdict }
  return { message: `${lead} ${messageFor(first)}${further}`, extras: { description, details, metadata }, stops }
}
