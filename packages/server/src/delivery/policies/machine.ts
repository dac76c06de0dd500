import type { PolicyVerdict } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import { covers, type Place } from '../freezes/machine.ts'
import type { Answer, Verdict } from './evaluate.ts'
import type { PolicyOverrideRow, PolicyRow } from './tables.ts'

export type Policy = Pick<PolicyRow, 'id' | 'version' | 'name' | 'expression' | 'message' | 'effect' | 'rollbacks'> &
  Place
export type Override = Pick<PolicyOverrideRow, 'policyId' | 'reason' | 'createdBy' | 'until'> & Place

/** What is judged. */
export type Judged = { place: Place; isRollback: boolean }

/** The policies that something is judged by: first those that stop, as the last pay for what takes too long. */
export const guarding = <P extends Policy>(policies: readonly P[], { place, isRollback }: Judged): P[] =>
  policies
    .filter((policy) => covers(policy, place) && (policy.rollbacks || !isRollback))
    .toSorted((one, other) => Number(one.effect === 'WARN') - Number(other.effect === 'WARN'))

/** What came of asking them all at once about one subject; or why they could not be asked. */
export type Asked = { result: readonly Answer[] } | { trouble: string }

/** What came of each policy. Whatever is not a clear answer has failed. */
export function verdictsOf(
  policies: readonly Policy[],
  asked: Asked,
  overrides: readonly Override[],
  { place, now }: { place: Place; now: Date },
): PolicyVerdict[] {
  return policies.map((policy, index) => {
    const { id: policyId, version, name, effect } = policy
    const answer = 'trouble' in asked ? asked : asked.result[index]
    const verdict = verdictIn(answer)
    const past = overrides.find((one) => one.policyId === policyId && now < one.until && covers(one, place))
    const override = past && verdict.verdict !== 'ALLOWED' && { reason: past.reason, createdBy: past.createdBy }
    const told = { verdict: verdict.verdict, message: messageOf(policy, verdict), override: override || undefined }
    return present({ policyId, version, name, effect, ...told })
  })
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

const isPassed = ({ verdict, override }: PolicyVerdict) => verdict === 'ALLOWED' || override !== undefined

/** Those that something must not go on for. */
export const stopping = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect !== 'WARN' && !isPassed(one))

/** Those that would have stopped it if they did not only warn. */
export const warning = (verdicts: readonly PolicyVerdict[]): PolicyVerdict[] =>
  verdicts.filter((one) => one.effect === 'WARN' && !isPassed(one))

/** What people read of one that stops something. */
export const inWords = ({ name, version, message = '' }: PolicyVerdict): string =>
  `the policy “${name}” (version ${version}): ${message}`

/** The way out, for whoever is stopped. */
export const wayOut = ({ policyId }: PolicyVerdict): string =>
  `Who has the permission policies:override, such as an admin or an owner, can let it past: POST /policies/${policyId}/overrides.`
