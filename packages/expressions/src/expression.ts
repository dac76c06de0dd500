import { withErrorPosition } from './errors.ts'
import { evaluateIn } from './evaluate.ts'
import { parseText } from './parse.ts'
import { EvaluationState } from './run.ts'
import type { Expression } from './tree.ts'
import type { Json } from './values.ts'

/**
 * Parses an expression, the text between `<<` and `>>`.
 * @throws {ExpressionError} for a syntax error
 */
export const parse = (source: string): Expression => withErrorPosition('', source, () => parseText(source))

/**
 * Returns the value of an expression.
 * @throws {ExpressionError} if it cannot be evaluated
 */
export function evaluate(source: string, roots: Json): unknown {
  return withErrorPosition('', source, () => {
    const run = new EvaluationState()
    const value = evaluateIn(run, parseText(source), roots)
    run.deliver(value)
    return value
  })
}
