import type { PolicyGuards, PolicyRules } from '@sluice/contract'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Subject, Verdict } from './evaluate.ts'
import { evaluateExpressions } from './evaluate-expressions.ts'

/** Rejects an expression that cannot be evaluated, or that fails its tests. */
export function expectValidExpression(
  guards: PolicyGuards,
  { expression, tests }: Pick<PolicyRules, 'expression' | 'tests'>,
): void {
  const subjects = tests.map(({ given }) => given)
  const verdicts = expectVerdicts(guards, expression, subjects)
  const failing = tests.flatMap(({ name, expect }, index) => {
    const came = verdicts[index]
    if (came?.verdict === expect) return []
    const why = came?.verdict === 'FAILED' ? `, as ${came.reason}` : ''
    return [`“${name}” is to be ${expect}, and is ${came?.verdict ?? 'not asked'}${why}`]
  })
  if (failing.length === 0) return
  const message = failing.length === 1 ? `The test ${failing[0]}.` : `${failing.length} tests fail.`
  throw new ApiError('policyTestsFailed', message, { details: [{ title: 'Tests', render: 'list', items: failing }] })
}

/** Returns the results of an expression for subjects; rejects one that cannot be evaluated for any. */
export function expectVerdicts(guards: PolicyGuards, expression: string, subjects: readonly Subject[]): Verdict[] {
  const asked = evaluateExpressions(guards, [expression], subjects)
  if ('trouble' in asked) throw new ApiError('policyInvalid', `The expression could not be checked: ${asked.trouble}.`)
  const [answer] = asked.result
  if (!answer) throw new Error('the expression was not asked')
  if ('verdicts' in answer) return answer.verdicts
  const { line, column, message } = answer.fault
  const metadata = { field: 'expression', line, column }
  throw new ApiError('policyInvalid', `Line ${line}, column ${column}: ${message}`, { metadata })
}
