import type { FunctionName } from './functions.ts'

/**
 * An expression as a tree. `at` is the offset in the text of what the part is named after: its name, sign or bracket.
 */
export type Expression = { at: number } & Part

export type Part =
  | { kind: 'literal'; value: null | boolean | number | string }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'object'; entries: { key: string; value: Expression }[] }
  /** A root: a name that the caller provides. */
  | { kind: 'root'; name: string }
  /** `#`, what a closure is looking at. */
  | { kind: 'element' }
  | { kind: 'member'; of: Expression; name: string; isOptional: boolean }
  | { kind: 'index'; of: Expression; index: Expression; isOptional: boolean }
  | { kind: 'slice'; of: Expression; from?: Expression; to?: Expression }
  | { kind: 'unary'; operator: UnaryOperator; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'conditional'; condition: Expression; yes: Expression; no: Expression }
  /** `x | f(y)` is `f(x, y)`. */
  | { kind: 'call'; name: FunctionName; args: Expression[] }

export type UnaryOperator = '!' | '-' | '+'

/** How tightly the operators bind. The numbers only have an order; the pipe and `?:` bind looser than all. */
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

/** What `!` and `-` take in: `!a * b` is `!(a * b)`, `-a * b` is `(-a) * b`. */
export const unaryPrecedences: Record<UnaryOperator, number> = { '!': 6, '-': 8, '+': 8 }

/** Other ways to write the same. */
export const synonyms: Record<string, BinaryOperator | UnaryOperator> = { or: '||', and: '&&', not: '!', '^': '**' }

/** Names that mean something by themselves; behind a point and as keys they are names like others. */
export const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'nil', 'null', 'or', 'and', 'not'],
  ...['in', 'contains', 'startsWith', 'endsWith', 'matches'],
])

/** Deeper nesting is refused, in expressions and in values: it would exhaust the stack of whoever walks them. */
export const maxDepth = 200

/** The parts right inside. */
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
