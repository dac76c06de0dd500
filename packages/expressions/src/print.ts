import type { Expression } from './tree.ts'

/** Prints an expression so that parsing it returns the same tree. Adds parentheses to all composed expressions. */
export function print(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return printLiteral(expression.value)
    case 'root':
      return expression.name
    case 'element':
      return '#'
    case 'list':
      return `[${expression.items.map(print).join(', ')}]`
    case 'object':
      return `{${expression.entries.map(({ key, value }) => `${quote(key)}: ${print(value)}`).join(', ')}}`
    case 'member':
      return `${inside(expression.of)}${expression.isOptional ? '?.' : '.'}${expression.name}`
    case 'index':
      return `${inside(expression.of)}${expression.isOptional ? '?.' : ''}[${print(expression.index)}]`
    case 'slice':
      return `${inside(expression.of)}[${optional(expression.from)}:${optional(expression.to)}]`
    case 'unary':
      return `${expression.operator}${inside(expression.operand)}`
    case 'binary':
      return `${inside(expression.left)} ${expression.operator} ${inside(expression.right)}`
    case 'conditional':
      return `${inside(expression.condition)} ? ${inside(expression.yes)} : ${inside(expression.no)}`
    case 'call':
      return `${expression.name}(${expression.args.map(print).join(', ')})`
  }
}

const composed = new Set<Expression['kind']>(['unary', 'binary', 'conditional'])

function inside(part: Expression): string {
  // The dot of `1.name` would be parsed as part of the number.
  const isComposed = composed.has(part.kind) || (part.kind === 'literal' && typeof part.value === 'number')
  return isComposed ? `(${print(part)})` : print(part)
}

const optional = (part: Expression | undefined): string => (part ? print(part) : '')

const printLiteral = (value: null | boolean | number | string): string => {
  if (value === null) return 'nil'
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Prints a text as JSON, without the two escapes that the language lacks. */
const quote = (text: string): string =>
  JSON.stringify(text).replaceAll(/\\(.)/g, (pair, letter) => foreignEscapes.get(letter) ?? pair)

const foreignEscapes = new Map([
  ['b', '\\u0008'],
  ['f', '\\u000c'],
])
