import type { EvaluationState } from './run.ts'
import type { BinaryOperator, UnaryOperator } from './tree.ts'
import { areEqual, isObject, isTrue, kindOf } from './values.ts'

/**
 * Maximum cost of one position of a text search, in compared characters. V8 compares only the last 250 characters of a
 * longer text.
 */
const maxComparedLetters = 256

/** Evaluates a binary operator, except the lazy ones `&&`, `||` and `??`. */
export function binary(
  run: EvaluationState,
  operator: Exclude<BinaryOperator, '&&' | '||' | '??'>,
  a: unknown,
  b: unknown,
): unknown {
  switch (operator) {
    case '==':
      return areEqual(run, a, b)
    case '!=':
      return !areEqual(run, a, b)
    case '+':
      return add(run, a, b)
    case '-':
    case '*':
    case '/':
    case '%':
    case '**':
      return calculate(run, operator, a, b)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(run, operator, a, b)
    case '..':
      return range(run, a, b)
    case 'in':
      return isIn(run, a, b)
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return search(run, operator, a, b)
  }
}

export function unary(run: EvaluationState, operator: UnaryOperator, value: unknown): unknown {
  if (operator === '!') return !isTrue(value)
  if (typeof value !== 'number') return run.fail(`${operator} takes a number, not ${kindOf(value)}`)
  return operator === '-' ? -value : value
}

function add(run: EvaluationState, a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return requireFinite(run, a + b)
  if (typeof a === 'string' && typeof b === 'string') {
    run.build(a.length + b.length)
    return a + b
  }
  if (Array.isArray(a) && Array.isArray(b)) return concatenate(run, [a, b])
  return run.fail(`+ takes two numbers, two texts or two lists, not ${kindOf(a)} + ${kindOf(b)}`)
}

export function concatenate(run: EvaluationState, lists: unknown[][]): unknown[] {
  const length = lists.reduce((sum, list) => sum + list.length, 0)
  run.build(8 * length)
  return lists.flat()
}

function calculate(run: EvaluationState, operator: '-' | '*' | '/' | '%' | '**', a: unknown, b: unknown): number {
  if (typeof a !== 'number' || typeof b !== 'number') {
    return run.fail(`${operator} takes two numbers, not ${kindOf(a)} ${operator} ${kindOf(b)}`)
  }
  if (b === 0 && (operator === '/' || operator === '%')) return run.fail('division by zero')
  switch (operator) {
    case '-':
      return requireFinite(run, a - b)
    case '*':
      return requireFinite(run, a * b)
    case '/':
      return requireFinite(run, a / b)
    case '%':
      return a % b
    case '**':
      return requireFinite(run, a ** b)
  }
}

/** Returns the number, or fails if it is not finite, because JSON has no such numbers. */
export const requireFinite = (run: EvaluationState, value: number): number =>
  Number.isFinite(value) ? value : run.fail('the result is too large for a number, or is none')

function compare(run: EvaluationState, operator: '<' | '<=' | '>' | '>=', a: unknown, b: unknown): boolean {
  const areNumbers = typeof a === 'number' && typeof b === 'number'
  if (!areNumbers && !(typeof a === 'string' && typeof b === 'string')) {
    return run.fail(`${operator} takes two numbers or two texts, not ${kindOf(a)} ${operator} ${kindOf(b)}`)
  }
  if (!areNumbers) run.read(Math.min((a as string).length, (b as string).length))
  const [left, right] = [a as number, b as number]
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

function range(run: EvaluationState, a: unknown, b: unknown): number[] {
  if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return run.fail('.. takes two whole numbers')
  const [from, to] = [a as number, b as number]
  const length = Math.max(0, to - from + 1)
  run.build(8 * length)
  return Array.from({ length }, (_, index) => from + index)
}

function isIn(run: EvaluationState, a: unknown, b: unknown): boolean {
  if (b === null || b === undefined) return false
  if (Array.isArray(b)) return b.some((item) => areEqual(run, a, item))
  if (isObject(b)) return typeof a === 'string' && Object.hasOwn(b, a)
  return run.fail(`in takes a list or an object on its right, not ${kindOf(b)}`)
}

function search(
  run: EvaluationState,
  operator: 'contains' | 'startsWith' | 'endsWith',
  a: unknown,
  b: unknown,
): boolean {
  if (kindOf(a) === 'nil' || kindOf(b) === 'nil') return false
  if (typeof a !== 'string' || typeof b !== 'string') {
    return run.fail(`${operator} takes two texts, not ${kindOf(a)} ${operator} ${kindOf(b)}`)
  }
  if (operator !== 'contains') run.read(b.length)
  if (operator === 'startsWith') return a.startsWith(b)
  if (operator === 'endsWith') return a.endsWith(b)
  countSearchCost(run, a, b)
  return a.includes(b)
}

/** Charges the cost of searching for `b` in `a`. */
export function countSearchCost(run: EvaluationState, a: string, b: string): void {
  run.read((a.length * Math.min(b.length, maxComparedLetters)) / 16)
}
