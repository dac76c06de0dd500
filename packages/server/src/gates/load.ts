import { type AnyPgColumn, type SQL, sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { approvalRules } from './approval-rules/gate.ts'
import { type Blocker, blockers, type Evaluation, evaluate, type LoadedGate, type Moment } from './evaluate.ts'
import { freezes } from './freezes/gate.ts'
import type { Findings, Gate, GateQuestion, Rules } from './gate.ts'
import { holds } from './holds/gate.ts'
import { policies } from './policies/gate.ts'

/** All release gates, in the order of evaluation. */
export const gates: readonly Gate[] = [holds, freezes, approvalRules, policies]

const gatesAt = (moment: Moment): Gate[] => gates.filter(({ moments }) => moments.includes(moment))

/** Subquery: whether the organization has any rules that apply at a moment. */
export const hasGates = (organizationId: AnyPgColumn, moment: Moment): SQL<boolean> =>
  sql<boolean>`(${sql.join(
    gatesAt(moment).map((gate) => gate.exists(organizationId, moment)),
    sql` or `,
  )})`

/** Creates the rules of an organization for one transaction, in which each type is read once. */
export function gateRules(tx: Db, organizationId: string): Rules {
  const known = new Map<string, Promise<unknown>>()
  return {
    tx,
    organizationId,
    once<T>(key: string, read: () => Promise<T>) {
      const found = known.get(key) ?? read()
      known.set(key, found)
      return found as Promise<T>
    },
  }
}

/**
 * Evaluates the release gates for a subject. A gate is loaded only if no earlier one decides, because policy
 * expressions use processor time. Must be called within `answered` if policies apply.
 */
export async function evaluateGates(rules: Rules, question: GateQuestion, now: Date): Promise<Evaluation & Findings> {
  const loaded: LoadedGate[] = []
  let findings: Findings = {}
  for (const gate of gatesAt(question.moment)) {
    const next = await gate.load(rules, question, now)
    loaded.push(next.loaded)
    findings = { ...findings, ...next.findings }
    const found = evaluate(loaded, question, now)
    if (found.decision.decision !== 'proceed') return { ...found, ...findings }
  }
  return { ...evaluate(loaded, question, now), ...findings }
}

/** Returns everything that blocks a subject now, in the order of evaluation. Changes nothing. */
export async function loadBlockers(rules: Rules, question: GateQuestion, now: Date): Promise<Blocker[]> {
  const loaded: LoadedGate[] = []
  for (const gate of gatesAt(question.moment)) loaded.push((await gate.load(rules, question, now)).loaded)
  return blockers(loaded, question, now)
}
