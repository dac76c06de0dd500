import { inPlace } from './errors.ts'
import { evaluateIn } from './evaluate.ts'
import { parseText } from './parse.ts'
import { Run } from './run.ts'
import type { Expression } from './tree.ts'
import type { Json } from './values.ts'

/**
 * Parses an expression, the text between `<<` and `>>`.
 * @throws {ExpressionError} for a syntax error
 */
export const parse = (source: string): Expression => inPlace('', source, () => parseText(source))

/**
 * Returns the value of an expression.
 * @throws {ExpressionError} if it cannot be evaluated
 */
export function evaluate(source: string, roots: Json): unknown {
  return inPlace('', source, () => {
    const run = new Run()
    const value = evaluateIn(run, parseText(source), roots)
    run.deliver(value)
    return value
  })
}
