import { isCelError, parse, run } from '@bufbuild/cel'
import type { Expr, Expr_Call, Expr_Comprehension, Expr_Select } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { maxPolicyExpressionLength } from '@sluice/contract'
import { callOf, functionNames, methodNames, spellingOf } from './calls.ts'
import { common, isList, isRecord, isScalar, nameOf, type Type, type Variables } from './types.ts'

/** Maximum nesting of macros: a policy needs at most two nested loops over lists. */
export const maxMacroDepth = 2
/** Maximum nesting of brackets and operators, because the parser and the evaluator are recursive. */
const maxTreeDepth = 100

/** Error in an expression, with its position and the remedy. */
export type ExpressionProblem = { line: number; column: number; message: string }

export type ExpressionCheck = { tree: Expr } | { fault: ExpressionProblem }

/**
 * Parses and type-checks an expression. Rejects unknown names and values of a wrong type. What remains can fail only
 * because of a value: a missing field or a division by zero.
 *
 * The library parses and evaluates, but checks only names and constants.
 */
export function checkExpression(expression: string, variables: Variables): ExpressionCheck {
  if (expression.length > maxPolicyExpressionLength) {
    return {
      fault: { line: 1, column: 1, message: `An expression has ${maxPolicyExpressionLength} characters at most.` },
    }
  }
  try {
    const { expr: tree, sourceInfo } = parse(expression)
    const place = (id: bigint) => placeAt(expression, sourceInfo?.positions[id.toString()] ?? 0)
    const type = new Checker(variables).typeOf(tree)
    if (type instanceof Wrong) return { fault: { ...place(type.id), message: type.message } }
    if (type === 'bool') return { tree }
    return { fault: { line: 1, column: 1, message: `It must be true or false; this is ${nameOf(type)}.` } }
  } catch (error) {
    return { fault: unreadable(error) }
  }
}

function placeAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Converts an exception of the parser to an error with its position. */
function unreadable(error: unknown): ExpressionProblem {
  // The parser is recursive, too.
  if (error instanceof RangeError) return { line: 1, column: 1, message: tooDeep }
  const message = error instanceof Error ? error.message.replace(/^<input>:\d+:\d+: /, '') : String(error)
  const { line = 1, column = 1 } = startOf(error)
  return { line, column, message: `It cannot be read: ${message.slice(0, 200)}.` }
}

function startOf(error: unknown): { line?: number; column?: number } {
  if (typeof error !== 'object' || error === null || !('location' in error)) return {}
  const { location } = error as { location?: { start?: { line: number; column: number } } }
  return location?.start ?? {}
}

class Wrong {
  readonly id: bigint
  readonly message: string
  constructor(id: bigint, message: string) {
    this.id = id
    this.message = message
  }
}

type Scope = { variables: ReadonlyMap<string, Type>; macros: number; depth: number }

class Checker {
  readonly #variables: Variables

  constructor(variables: Variables) {
    this.#variables = variables
  }

  typeOf(expr: Expr): Type | Wrong {
    return this.#typeOf(expr, { variables: new Map(Object.entries(this.#variables)), macros: 0, depth: 0 })
  }

  #typeOf({ id, exprKind }: Expr, outer: Scope): Type | Wrong {
    const scope = { ...outer, depth: outer.depth + 1 }
    if (scope.depth > maxTreeDepth) return new Wrong(id, tooDeep)
    switch (exprKind.case) {
      case 'constExpr':
        return constants[exprKind.value.constantKind.case ?? ''] ?? new Wrong(id, noSuchConstant)
      case 'identExpr': {
        const { name } = exprKind.value
        return scope.variables.get(name) ?? new Wrong(id, unknownName(name, [...scope.variables.keys()]))
      }
      case 'selectExpr':
        return this.#select(id, exprKind.value, scope)
      case 'callExpr':
        return this.#call(id, exprKind.value, scope)
      case 'listExpr':
        return this.#list(id, exprKind.value.elements, scope)
      case 'comprehensionExpr':
        return this.#macro(id, exprKind.value, scope)
      default:
        return new Wrong(id, 'Records and maps cannot be written in a policy.')
    }
  }

  #select(id: bigint, { operand, field, testOnly }: Expr_Select, scope: Scope): Type | Wrong {
    const type = this.#of(id, operand, scope)
    if (type instanceof Wrong) return type
    if (!isRecord(type)) return new Wrong(id, `${nameOf(type)} has no field ${field}.`)
    if (!Object.hasOwn(type.fields, field)) return new Wrong(id, unknownName(field, Object.keys(type.fields)))
    return testOnly ? 'bool' : (type.fields[field] ?? 'nothing')
  }

  #call(id: bigint, { target, function: name, args }: Expr_Call, scope: Scope): Type | Wrong {
    const call = callOf(name, target !== undefined)
    if (!call) {
      const known = target ? methodNames : functionNames
      return new Wrong(id, `There is no ${target ? 'method' : 'function'} ${name}; there are ${known}, and the macros.`)
    }
    const types = this.#each(target ? [target, ...args] : args, scope)
    if (types instanceof Wrong) return types
    const type = call(...types)
    if (type === undefined) {
      const asked = args.some(isAccumulator) && types.find((one) => one !== 'bool')
      if (asked) return new Wrong(id, notTruth(asked))
      return new Wrong(id, `${spellingOf(name)} does not take ${types.map(nameOf).join(' and ')}.`)
    }
    return name === 'matches' ? (wrongPattern(id, args) ?? type) : type
  }

  /** Rejects lists of lists, because a few macros over them can exceed the available memory. */
  #list(id: bigint, elements: Expr[], scope: Scope): Type | Wrong {
    const types = this.#each(elements, scope)
    if (types instanceof Wrong) return types
    let element: Type = 'nothing'
    for (const type of types) {
      const both = common(element, type)
      if (both === undefined) return new Wrong(id, `A list has ${nameOf(element)} or ${nameOf(type)}, not both.`)
      if (!isScalar(both) && !isRecord(both)) return new Wrong(id, 'A list has no lists in it.')
      element = both
    }
    return { list: element }
  }

  #macro(id: bigint, macro: Expr_Comprehension, scope: Scope): Type | Wrong {
    if (scope.macros === maxMacroDepth) {
      return new Wrong(id, `Macros such as all and exists are nested ${maxMacroDepth} deep at most.`)
    }
    const range = this.#of(id, macro.iterRange, scope)
    if (range instanceof Wrong) return range
    if (!isList(range)) return new Wrong(id, `Macros go through a list; this is ${nameOf(range)}.`)
    const start = this.#of(id, macro.accuInit, scope)
    if (start instanceof Wrong) return start
    const within = (so: Type): Scope => ({
      depth: scope.depth,
      macros: scope.macros + 1,
      variables: new Map([...scope.variables, [macro.accuVar, so], [macro.iterVar, range.list]]),
    })
    const step = this.#of(id, macro.loopStep, within(start))
    if (step instanceof Wrong) return step
    const so = common(start, step)
    if (so === undefined) return new Wrong(id, notTruth(step))
    const goesOn = this.#of(id, macro.loopCondition, within(so))
    return goesOn instanceof Wrong ? goesOn : this.#of(id, macro.result, within(so))
  }

  #of(id: bigint, expr: Expr | undefined, scope: Scope): Type | Wrong {
    return expr ? this.#typeOf(expr, scope) : new Wrong(id, 'Something is missing here.')
  }

  #each(exprs: readonly Expr[], scope: Scope): Type[] | Wrong {
    const types: Type[] = []
    for (const expr of exprs) {
      const type = this.#typeOf(expr, scope)
      if (type instanceof Wrong) return type
      types.push(type)
    }
    return types
  }
}

const constants: Readonly<Record<string, Type>> = {
  boolValue: 'bool',
  int64Value: 'int',
  doubleValue: 'double',
  stringValue: 'string',
}

const tooDeep = `Brackets and operators are nested ${maxTreeDepth} deep at most; split the policy.`

const noSuchConstant = 'Only texts, numbers, true and false can be written; whether a field is there, has() tells.'

const notTruth = (type: Type): string => `What it asks must be true or false; this is ${nameOf(type)}.`

/** Reports whether an expression is the accumulator of a macro, whose name cannot be written in an expression. */
const isAccumulator = ({ exprKind }: Expr): boolean =>
  exprKind.case === 'identExpr' && exprKind.value.name.startsWith('@')

const unknownName = (name: string, known: readonly string[]): string =>
  `There is no ${name}; there are ${known.filter((one) => !one.startsWith('@')).join(', ')}.`

/** Maximum length of a pattern, in characters. */
const maxPatternLength = 200

function wrongPattern(callId: bigint, [pattern]: readonly Expr[]): Wrong | undefined {
  const id = pattern?.id ?? callId
  const constant = pattern?.exprKind.case === 'constExpr' ? pattern.exprKind.value.constantKind : undefined
  if (constant?.case !== 'stringValue') return new Wrong(id, 'The pattern of matches is a text that is written there.')
  if (constant.value.length > maxPatternLength) {
    return new Wrong(id, `A pattern has ${maxPatternLength} characters at most.`)
  }
  const tried = run('"".matches(pattern)', { pattern: constant.value })
  return isCelError(tried) ? new Wrong(id, `The pattern is not valid: ${tried.message.slice(0, 200)}.`) : undefined
}
