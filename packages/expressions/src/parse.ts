import { Problem } from './errors.ts'
import { type FunctionName, functionNames, isFunction, signatureOf } from './functions.ts'
import { suggestName } from './nearest.ts'
import { type Token, tokensOf } from './tokens.ts'
import {
  type BinaryOperator,
  type Expression,
  maxDepth,
  operatorAliases,
  type Part,
  partsOf,
  precedences,
  reserved,
  type UnaryOperator,
  unaryPrecedences,
} from './tree.ts'

const literals: Record<string, null | boolean> = { nil: null, null: null, true: true, false: false }

/**
 * Parses the expression in `text` between `from` and `to`.
 * @throws {Problem} for a syntax error
 */
export function parseText(text: string, from = 0, to = text.length): Expression {
  const tokens = tokensOf(text, from, to)
  let position = 0
  let nesting = 0
  let closures = 0
  const heights = new Map<Expression, number>()

  const expression = parseExpression()
  if (peek().kind !== 'end') throw unexpected('the end')
  return expression

  function peek(ahead = 0): Token {
    return tokens[Math.min(position + ahead, tokens.length - 1)] as Token
  }

  function next(): Token {
    const token = peek()
    position += 1
    return token
  }

  function isSign(sign: string, ahead = 0): boolean {
    const token = peek(ahead)
    return token.kind === 'sign' && token.value === sign
  }

  function skip(sign: string): boolean {
    if (!isSign(sign)) return false
    position += 1
    return true
  }

  function expect(sign: string): void {
    if (!skip(sign)) throw unexpected(sign)
  }

  function unexpected(wanted: string): Problem {
    const { kind, value, at } = peek()
    const found = kind === 'end' ? 'the end' : kind === 'string' ? 'a text' : String(value)
    return new Problem(`expected ${wanted}, found ${found}`, at)
  }

  function node(at: number, part: Part): Expression {
    const made: Expression = { ...part, at }
    const height = 1 + partsOf(made).reduce((most, inside) => Math.max(most, heights.get(inside) ?? 0), 0)
    if (height > maxDepth) throw tooDeep(at)
    heights.set(made, height)
    return made
  }

  function tooDeep(at: number): Problem {
    return new Problem(`this is nested deeper than ${maxDepth} levels`, at)
  }

  /** Parses everything that can be nested, and limits the depth. */
  function nested<T>(parsePart: () => T): T {
    nesting += 1
    if (nesting > maxDepth) throw tooDeep(peek().at)
    const part = parsePart()
    nesting -= 1
    return part
  }

  function parseExpression(): Expression {
    return nested(() => {
      const condition = parsePipe()
      const { at } = peek()
      if (!skip('?')) return condition
      const yes = parseExpression()
      expect(':')
      return node(at, { kind: 'conditional', condition, yes, no: parseExpression() })
    })
  }

  function parsePipe(): Expression {
    let value = parseBinary(0)
    while (skip('|')) {
      const name = next()
      if (name.kind !== 'name' || !isSign('('))
        throw new Problem('expected a function such as concat(…) behind |', name.at)
      value = parsePostfix(parseCall(name.value, name.at, [value]))
    }
    return value
  }

  function parseBinary(least: number): Expression {
    let left = parseUnary()
    for (;;) {
      const { at } = peek()
      const isNegated = isWord('not')
      const operator = operatorAt(isNegated ? 1 : 0)
      if (operator === undefined || precedences[operator] < least) return left
      if (isNegated && !/^[a-z]/.test(operator)) return left
      position += isNegated ? 2 : 1
      // The power operator is right-associative: its right side includes operators of the same precedence.
      const right = nested(() => parseBinary(precedences[operator] + (operator === '**' ? 0 : 1)))
      left = node(at, { kind: 'binary', operator, left, right })
      if (isNegated) left = node(at, { kind: 'unary', operator: '!', operand: left })
    }
  }

  function isWord(word: string): boolean {
    return peek().kind === 'name' && peek().value === word
  }

  function operatorAt(ahead: number): BinaryOperator | undefined {
    const { kind, value, at } = peek(ahead)
    if (kind !== 'name' && kind !== 'sign') return undefined
    // The public language has this operator, but a regular expression could run forever.
    if (value === 'matches') throw new Problem('matches is not supported; contains, startsWith and endsWith are', at)
    const operator = Object.hasOwn(operatorAliases, value) ? operatorAliases[value] : value
    return operator !== undefined && Object.hasOwn(precedences, operator) ? (operator as BinaryOperator) : undefined
  }

  function parseUnary(): Expression {
    const { at } = peek()
    const operator = unaryOperator()
    if (!operator) return parsePostfix(parsePrimary())
    position += 1
    const operand = nested(() => parseBinary(unaryPrecedences[operator]))
    return node(at, { kind: 'unary', operator, operand })
  }

  function unaryOperator(): UnaryOperator | undefined {
    if (isSign('!') || isWord('not')) return '!'
    if (isSign('-')) return '-'
    return isSign('+') ? '+' : undefined
  }

  function parsePostfix(start: Expression): Expression {
    let of = start
    for (;;) {
      const { at } = peek()
      const isOptional = isSign('?.')
      if (isOptional && isSign('[', 1)) position += 1
      if (skip('[')) of = parseBrackets(of, at, isOptional)
      else if (skip('.') || skip('?.')) of = node(at, { kind: 'member', of, name: memberName(), isOptional })
      else if (isSign('(')) throw new Problem('only functions can be called', at)
      else return of
    }
  }

  function memberName(): string {
    if (peek().kind !== 'name') throw unexpected('a name')
    return String(next().value)
  }

  function parseBrackets(of: Expression, at: number, isOptional: boolean): Expression {
    const index = isSign(':') ? undefined : parseExpression()
    if (!isOptional && skip(':')) {
      const to = isSign(']') ? undefined : parseExpression()
      expect(']')
      return node(at, { kind: 'slice', of, ...(index && { from: index }), ...(to && { to }) })
    }
    if (!index) throw unexpected('an index')
    expect(']')
    return node(at, { kind: 'index', of, index, isOptional })
  }

  function parsePrimary(): Expression {
    const token = peek()
    const { at } = token
    if (token.kind === 'number' || token.kind === 'string') {
      position += 1
      return node(at, { kind: 'literal', value: token.value })
    }
    if (token.kind === 'name') return parseName()
    if (skip('(')) {
      const inside = parseExpression()
      expect(')')
      return inside
    }
    if (skip('[')) return node(at, { kind: 'list', items: parseListed(']', parseExpression) })
    if (skip('{')) return node(at, { kind: 'object', entries: parseListed('}', parseEntry) })
    if (isSign('#') || isSign('.')) return parseElement()
    throw unexpected('a value')
  }

  function parseElement(): Expression {
    const { at } = peek()
    if (closures === 0) throw new Problem(`${peek().value} refers to an element and is defined only in closures`, at)
    // `.name` is short for `#.name`. The dot is parsed as part of the member.
    skip('#')
    return node(at, { kind: 'element' })
  }

  function parseName(): Expression {
    const { value, at } = next()
    const name = String(value)
    if (Object.hasOwn(literals, name)) return node(at, { kind: 'literal', value: literals[name] ?? null })
    if (isSign('(')) return parseCall(name, at, [])
    if (!reserved.has(name)) return node(at, { kind: 'root', name })
    position -= 1
    throw unexpected('a value')
  }

  function parseListed<T>(end: string, parseItem: () => T): T[] {
    const items: T[] = []
    while (!skip(end)) {
      items.push(parseItem())
      if (isSign(end)) continue
      if (!skip(',')) throw unexpected(`, or ${end}`)
    }
    return items
  }

  function parseEntry(): { key: string; value: Expression } {
    const { kind, value } = peek()
    if (kind !== 'name' && kind !== 'string') throw unexpected('a key')
    position += 1
    expect(':')
    return { key: value, value: parseExpression() }
  }

  function parseCall(name: string, at: number, piped: Expression[]): Expression {
    if (!isFunction(name)) throw new Problem(suggestName(`unknown function ${name}`, name, functionNames), at)
    expect('(')
    const args = [...piped]
    while (!skip(')')) {
      const isClosure = signatureOf(name).takesClosure && args.length === 1
      args.push(isClosure ? parseClosure() : parseExpression())
      if (!isSign(')') && !skip(',')) throw unexpected(', or )')
    }
    checkCount(name, at, args.length)
    return node(at, { kind: 'call', name, args })
  }

  function checkCount(name: FunctionName, at: number, count: number): void {
    const { usage, args } = signatureOf(name)
    if (count < args[0] || count > args[1]) throw new Problem(`expected ${usage}, found ${count} arguments`, at)
  }

  /** Parses a closure, with or without braces. A brace starts an object if a key or `}` follows. */
  function parseClosure(): Expression {
    const isKey = ['name', 'string'].includes(peek(1).kind) && isSign(':', 2)
    const isBraced = isSign('{') && !isSign('}', 1) && !isKey
    closures += 1
    if (isBraced) position += 1
    const body = parseExpression()
    if (isBraced) expect('}')
    closures -= 1
    return body
  }
}
