import { type ClosureFunction, call, callWithClosure, type FunctionName, signatureOf } from './functions.ts'
import { suggestName } from './nearest.ts'
import { binary, unary } from './operators.ts'
import type { EvaluationState } from './run.ts'
import type { BinaryOperator, Expression } from './tree.ts'
import { isObject, isTrue, type Json, kindOf, memberOf } from './values.ts'

/** Variables of an expression: the roots by name, and the current element inside a closure. */
type Scope = { roots: Json; element?: unknown }

/** Result of `a?.b` if `a` is nil, which skips the rest of the chain. */
const absent = Symbol('absent')

/** The parts of a chain such as `a?.b[0].c`. */
const chained: ReadonlySet<Expression['kind']> = new Set(['member', 'index', 'slice'])

/**
 * Returns the value of an expression.
 * @throws {Problem} if it cannot be evaluated
 */
export function evaluateIn(run: EvaluationState, expression: Expression, roots: Json): unknown {
  return evaluate(expression, { roots })

  function evaluate(part: Expression, scope: Scope): unknown {
    const value = evaluatePart(part, scope)
    return value === absent ? null : value
  }

  function evaluatePart(part: Expression, scope: Scope): unknown {
    run.at = part.at
    run.step()
    const inside = (expression: Expression) => evaluate(expression, scope)
    switch (part.kind) {
      case 'literal':
        return part.value
      case 'root':
        return rootOf(part.name)
      case 'element':
        return scope.element ?? null
      case 'list':
        return part.items.map(inside)
      case 'object':
        return Object.fromEntries(part.entries.map(({ key, value }) => [key, inside(value)]))
      case 'member':
      case 'index':
      case 'slice':
        return evaluateChain(part, scope)
      case 'unary': {
        const operand = inside(part.operand)
        run.at = part.at
        return unary(run, part.operator, operand)
      }
      case 'binary':
        return evaluateBinary(part, inside)
      case 'conditional':
        return inside(isTrue(deciding(() => inside(part.condition))) ? part.yes : part.no)
      case 'call':
        return evaluateCall(part, scope)
    }
  }

  /** Evaluates a condition without making the result sensitive, because its value is not part of the result. */
  function deciding<T>(work: () => T): T {
    const wasSensitive = run.isSensitive
    const value = work()
    run.isSensitive = wasSensitive
    return value
  }

  function rootOf(name: string): unknown {
    if (Object.hasOwn(roots, name)) return roots[name] ?? null
    return run.fail(suggestName(`unknown name ${name}`, name, Object.keys(roots)))
  }

  function evaluateChain(part: Extract<Expression, { kind: 'member' | 'index' | 'slice' }>, scope: Scope): unknown {
    const inside = (expression: Expression) => evaluate(expression, scope)
    const of = chained.has(part.of.kind) ? evaluatePart(part.of, scope) : inside(part.of)
    if (of === absent) return absent
    if (part.kind !== 'slice' && part.isOptional && kindOf(of) === 'nil') return absent
    if (part.kind === 'member') {
      run.at = part.at
      return member(of, part.name)
    }
    if (part.kind === 'index') {
      const index = inside(part.index)
      run.at = part.at
      return elementAt(of, index)
    }
    const [from, to] = [part.from, part.to].map((bound) => bound && inside(bound))
    run.at = part.at
    return slice(of, from, to)
  }

  function member(of: unknown, name: string): unknown {
    if (kindOf(of) === 'nil') return null
    return isObject(of) ? memberOf(of, name) : run.fail(`${kindOf(of)} has no member ${name}`)
  }

  function elementAt(of: unknown, index: unknown): unknown {
    if (isObject(of))
      return typeof index === 'string' ? memberOf(of, index) : run.fail(`a key is a text, not ${kindOf(index)}`)
    if (!Array.isArray(of)) return run.fail(`[…] takes an element of a list or an object, not of ${kindOf(of)}`)
    if (!Number.isInteger(index)) return run.fail(`the index of a list is a whole number, not ${kindOf(index)}`)
    const position = index as number
    if (position < of.length && position >= -of.length) return of.at(position) ?? null
    return run.fail(`there is no element ${position} in a list of ${of.length}`)
  }

  /** Slices a list or the code points of a text. Bounds outside are clamped. */
  function slice(of: unknown, from: unknown, to: unknown): unknown {
    for (const bound of [from, to]) {
      if (bound !== undefined && !Number.isInteger(bound))
        return run.fail('a slice goes from one whole number to another')
    }
    const bounds = [from, to] as [number | undefined, number | undefined]
    if (typeof of !== 'string' && !Array.isArray(of))
      return run.fail(`[…:…] takes a part of a list or a text, not of ${kindOf(of)}`)
    run.build(8 * of.length)
    return Array.isArray(of) ? of.slice(...bounds) : [...of].slice(...bounds).join('')
  }

  function evaluateBinary(
    part: Extract<Expression, { kind: 'binary' }>,
    inside: (expression: Expression) => unknown,
  ): unknown {
    const { operator } = part
    const wasSensitive = run.isSensitive
    const left = inside(part.left)
    if (isDecidedBy(operator, left)) return left
    if (isLazy(operator)) run.isSensitive = wasSensitive // only the right side is part of the result
    const right = inside(part.right)
    if (isLazy(operator)) return right
    run.at = part.at
    return binary(run, operator, left, right)
  }

  function evaluateCall(part: Extract<Expression, { kind: 'call' }>, scope: Scope): unknown {
    const [first, second] = part.args
    const { name } = part
    if (takesClosure(name)) {
      if (!first || !second) throw new Error(`the parser let ${name} pass without a closure`)
      const list = evaluate(first, scope)
      run.at = part.at
      return callWithClosure(run, name, list, (element) => {
        const closure = () => evaluate(second, { roots, element })
        return name === 'map' ? closure() : deciding(closure)
      })
    }
    const args = part.args.map((arg) => evaluate(arg, scope))
    run.at = part.at
    return call(run, name, args)
  }
}

type LazyOperator = '||' | '&&' | '??'

const isLazy = (operator: BinaryOperator): operator is LazyOperator => ['||', '&&', '??'].includes(operator)

/** Reports whether a lazy operator skips its right side. */
function isDecidedBy(operator: BinaryOperator, left: unknown): boolean {
  if (operator === '||') return isTrue(left)
  if (operator === '&&') return !isTrue(left)
  return operator === '??' && left !== null && left !== undefined
}

const takesClosure = (name: FunctionName): name is ClosureFunction => signatureOf(name).takesClosure === true
