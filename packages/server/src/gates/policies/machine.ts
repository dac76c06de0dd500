import { failures, type PolicyVerdict, type UserFacingError } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import { type Asked as ApprovalsAsked, missingApprovals } from '../approval-rules/machine.ts'
import type { LoadedGate, Warning } from '../evaluate.ts'
import { covers, type Scope } from '../scope.ts'
import type { Answer, Verdict } from './evaluate.ts'
import type { PolicyOverrideRow, PolicyRow } from './tables.ts'

export type Policy = Pick<
  PolicyRow,
  'id' | 'version' | 'name' | 'expression' | 'message' | 'effect' | 'approval' | 'rollbacks'
> &
  Scope
export type Override = Pick<PolicyOverrideRow, 'policyId' | 'reason' | 'createdBy' | 'until'> & Scope

/** What is judged. */
export type Judged = { place: Scope; isRollback: boolean }

/** The policies that something is judged by: first those that stop, as the last pay for what takes too long. */
export const guarding = <P extends Policy>(policies: readonly P[], { place, isRollback }: Judged): P[] =>
  policies
    .filter((policy) => covers(policy, place) && (policy.rollbacks || !isRollback))
    .toSorted((one, other) => strength[one.effect] - strength[other.effect])

/** What stops most comes first. */
const strength = { DENY: 0, REQUIRE_APPROVAL: 1, WARN: 2 } as const satisfies Record<Policy['effect'], number>

/** What came of asking them all at once about one subject; or why they could not be asked. */
export type Asked = { result: readonly Answer[] } | { trouble: string }

/** What came of each policy. Whatever is not a clear answer has failed. */
export function verdictsOf(
  policies: readonly Policy[],
  asked: Asked,
  overrides: readonly Override[],
  { place, now }: { place: Scope; now: Date },
): PolicyVerdict[] {
  return policies.map((policy, index) => {
    const { id: policyId, version, name, effect } = policy
    const answer = 'trouble' in asked ? asked : asked.result[index]
    const verdict = verdictIn(answer)
    const told = { verdict: verdict.verdict, message: messageOf(policy, verdict) }
    const approval = effect === 'REQUIRE_APPROVAL' ? (policy.approval ?? undefined) : undefined
    return letPast(present({ policyId, version, name, effect, approval, ...told }), overrides, { place, now })
  })
}

/** What came of a policy, with the override that lets it past by now if there is one. */
export function letPast(
  verdict: PolicyVerdict,
  overrides: readonly Override[],
  { place, now }: { place: Scope; now: Date },
): PolicyVerdict {
  if (isPassed(verdict)) return verdict
  const past = overrides.find((one) => one.policyId === verdict.policyId && now < one.until && covers(one, place))
  return past ? { ...verdict, override: { reason: past.reason, createdBy: past.createdBy } } : verdict
}

function verdictIn(answer: Answer | { trouble: string } | undefined): Verdict {
  if (answer === undefined) return { verdict: 'FAILED', reason: 'it was not asked' }
  if ('trouble' in answer) return { verdict: 'FAILED', reason: answer.trouble }
  if ('fault' in answer) return { verdict: 'FAILED', reason: answer.fault.message }
  return answer.verdicts[0] ?? { verdict: 'FAILED', reason: 'it was not asked' }
}

/** So much of what an expression failed with is told. Characters. */
const longestReason = 500

function messageOf({ message }: Policy, verdict: Verdict): string | undefined {
  if (verdict.verdict === 'ALLOWED') return undefined
  if (verdict.verdict === 'VIOLATED') return message
  return `It could not be evaluated: ${verdict.reason.slice(0, longestReason)}`
}

/**
 * What came of policies that are asked anew. What people were asked stays asked: by the version that asked, unless the
 * policy asks or stops by the version of now.
 */
export function judgedAnew(before: readonly PolicyVerdict[], now: readonly PolicyVerdict[]): PolicyVerdict[] {
  const isReplaced = ({ policyId, version }: PolicyVerdict) =>
    stopping(now).some((one) => one.policyId === policyId) ||
    asking(now).some((one) => one.policyId === policyId && one.version !== version)
  const stays = asking(before).filter((one) => !isReplaced(one))
  return [...stays, ...now.filter(({ policyId }) => !stays.some((one) => one.policyId === policyId))]
}

/** Those that have come to something else than before. */
export const newIn = (before: readonly PolicyVerdict[], now: readonly PolicyVerdict[]): PolicyVerdict[] =>
  now.filter(
    (one) =>
      !before.some(
        ({ policyId, version, effect, verdict }) =>
          policyId === one.policyId && version === one.version && effect === one.effect && verdict === one.verdict,
      ),
  )

const isPassed = ({ verdict, override }: PolicyVerdict) => verdict === 'ALLOWED' || override !== undefined

/** Those that something must not go on for. */
export const stopping = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'DENY' && !isPassed(one))

/** Those that something waits for, until people approve it. */
export const asking = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'REQUIRE_APPROVAL' && !isPassed(one))

/** Those that would have stopped it if they did not only warn. */
export const warning = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'WARN' && !isPassed(one))

/** What policies decided, before and now, and the approvals that those ask for which did not ask before. */
export type Judgement = {
  before: readonly PolicyVerdict[]
  verdicts: readonly PolicyVerdict[]
  approvals?: ApprovalsAsked | undefined
}

/** Policies deny a request, cancel what was queued when its turn comes, or require more approvals. */
export const policyGate = ({ before, verdicts, approvals }: Judgement): LoadedGate => {
  const warnings = warning(newIn(before, verdicts)).map(warningOf)
  return {
    blocker({ moment }, now) {
      const stop = stoppedBy(verdicts)
      if (stop) return moment === 'START' ? cancelledBy(stop) : deniedBy(stop)
      const missing = approvals && missingApprovals(approvals, now)
      if (missing?.decision !== 'requireApproval') return missing
      // A step that takes its plan cannot wait any more.
      const unapproved = moment === 'TAKE_PLAN' ? unapprovedBy(verdicts.filter(isUnmet(approvals))) : undefined
      return unapproved ? deniedBy(unapproved) : { ...missing, warnings }
    },
    warnings: () => warnings,
  }
}

const isUnmet =
  (approvals: ApprovalsAsked | undefined) =>
  ({ policyId }: PolicyVerdict): boolean =>
    (approvals?.demands ?? []).some(({ rule, isMet }) => rule.id === policyId && !isMet)

const deniedBy = ({ message, extras, stops }: Stop) =>
  ({ decision: 'deny', gate: 'POLICY', key: 'stoppedByPolicy', message, ...extras, stops }) as const

function cancelledBy({ extras, stops, ...stop }: Stop) {
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

/** What people read of one that stops something. */
export const inWords = ({ name, version, message = '' }: PolicyVerdict): string =>
  `the policy “${name}” (version ${version}): ${message}`

/** The way out, for whoever is stopped. */
export const wayOut = ({ policyId }: PolicyVerdict): string =>
  `Who has the permission policies:override, such as an admin or an owner, can let it past: POST /policies/${policyId}/overrides.`

/** What is said where something is stopped, and what stops it. */
export type Stop = {
  message: string
  extras: Pick<UserFacingError, 'description' | 'details' | 'metadata'>
  stops: readonly PolicyVerdict[]
}

/** What is said of something that policies stop; undefined where none does. */
export const stoppedBy = (verdicts: readonly PolicyVerdict[]): Stop | undefined =>
  stopOf(stopping(verdicts), { lead: 'It is stopped by', ways: [] })

/** What is said of a plan that has not the approvals that policies ask for; undefined where none asks. */
export const unapprovedBy = (unmet: readonly PolicyVerdict[]): Stop | undefined =>
  stopOf(unmet, { lead: 'It is not approved as is asked by', ways: ['Plan again: they are asked about the new plan.'] })

function stopOf(
  stops: readonly PolicyVerdict[],
  { lead, ways }: { lead: string; ways: readonly string[] },
): Stop | undefined {
  const [first, ...others] = stops
  if (!first) return undefined
  const further = others.length === 0 ? '' : ` So do ${others.length} more, which the details name.`
  const { policyId, version, name, verdict } = first
  const description = [...ways, ...stops.map(wayOut)].join(' ')
  const details = [{ title: 'Policies', render: 'list' as const, items: stops.map(inWords) }]
  const metadata = { policyId, version, name, verdict }
  return { message: `${lead} ${inWords(first)}${further}`, extras: { description, details, metadata }, stops }
}
