import type { FunctionName } from './functions.ts'

/** An expression as a tree. `at` is the offset of the part's name, operator or bracket in the text. */
export type Expression = { at: number } & Part

export type Part =
  | { kind: 'literal'; value: null | boolean | number | string }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'object'; entries: { key: string; value: Expression }[] }
  /** Variable that the caller provides. */
  | { kind: 'root'; name: string }
  /** `#`, the current element of a closure. */
  | { kind: 'element' }
  | { kind: 'member'; of: Expression; name: string; isOptional: boolean }
  | { kind: 'index'; of: Expression; index: Expression; isOptional: boolean }
  | { kind: 'slice'; of: Expression; from?: Expression; to?: Expression }
  | { kind: 'unary'; operator: UnaryOperator; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'conditional'; condition: Expression; yes: Expression; no: Expression }
  /** `x | f(y)`, which is `f(x, y)`. */
  | { kind: 'call'; name: FunctionName; args: Expression[] }

export type UnaryOperator = '!' | '-' | '+'

/** Precedence of the operators. Only the order matters. The pipe and `?:` have the lowest. */
export const precedences = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  in: 3,
  contains: 3,
  startsWith: 3,
  endsWith: 3,
  '..': 4,
  '+': 5,
  '-': 5,
  '*': 7,
  '/': 7,
  '%': 7,
  '**': 9,
  '??': 10,
} as const
export type BinaryOperator = keyof typeof precedences

/** Precedence of `!` and `-`: `!a * b` is `!(a * b)`, `-a * b` is `(-a) * b`. */
export const unaryPrecedences: Record<UnaryOperator, number> = { '!': 6, '-': 8, '+': 8 }

export const operatorAliases: Record<string, BinaryOperator | UnaryOperator> = {
  or: '||',
  and: '&&',
  not: '!',
  '^': '**',
}

/** Reserved names. After a dot and as keys they are ordinary names. */
export const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'nil', 'null', 'or', 'and', 'not'],
  ...['in', 'contains', 'startsWith', 'endsWith', 'matches'],
])

/** Maximum nesting of expressions and values. Deeper nesting would exhaust the stack. */
export const maxDepth = 200

/** Returns the direct parts of an expression. */
export function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'root':
    case 'element':
      return []
    case 'list':
      return expression.items
    case 'object':
      return expression.entries.map(({ value }) => value)
    case 'member':
      return [expression.of]
    case 'index':
      return [expression.of, expression.index]
    case 'slice':
      return [expression.of, expression.from, expression.to].filter((part) => part !== undefined)
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'conditional':
      return [expression.condition, expression.yes, expression.no]
    case 'call':
      return expression.args
  }
}
