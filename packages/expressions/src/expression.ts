import { inPlace } from './errors.ts'
import { evaluateIn } from './evaluate.ts'
import { parseText } from './parse.ts'
import { Run } from './run.ts'
import type { Expression } from './tree.ts'
import type { Json } from './values.ts'

/**
 * Parses an expression, what stands between `<<` and `>>`.
 * @throws {ExpressionError} at what cannot stand there.
 */
export const parse = (source: string): Expression => inPlace('', source, () => parseText(source))

/**
 * What an expression is worth.
 * @throws {ExpressionError} where it is worth nothing.
 */
export function evaluate(source: string, roots: Json): unknown {
  return inPlace('', source, () => {
    const run = new Run()
    const value = evaluateIn(run, parseText(source), roots)
    run.deliver(value)
    return value
  })
}
