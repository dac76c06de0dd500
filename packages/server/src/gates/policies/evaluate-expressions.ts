import type { PolicyGuards } from '@sluice/contract'
import { getWorkerResult } from '../../platform/aside/answered.ts'
import { currentExpression } from '../former-names.ts'
import type { PolicyEvaluation, PolicyEvaluationRequest, Subject } from './evaluate.ts'
import type { PolicyResults } from './machine.ts'
import { variablesOf } from './variables.ts'

const evaluating = new URL('./evaluate.ts', import.meta.url)

/** Evaluates expressions for subjects in a worker thread. Must be called within `answered`. */
export function evaluateExpressions(
  guards: PolicyGuards,
  expressions: readonly string[],
  subjects: readonly Subject[],
): PolicyResults {
  const question: PolicyEvaluationRequest = {
    expressions: expressions.map(currentExpression),
    variables: variablesOf[guards],
    subjects,
  }
  return getWorkerResult<PolicyEvaluation[]>(evaluating, question)
}
