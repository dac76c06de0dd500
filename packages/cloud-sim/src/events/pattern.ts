import { BlockList, isIP } from 'node:net'
import { CloudError } from '../errors.ts'

/** Reports whether an event matches a pattern. */
export type EventFilter = (event: object) => boolean

type Match = (value: unknown) => boolean

const invalid = (reason: string) =>
  new CloudError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`)

/**
 * Compiles an event pattern ("Comparison operators for use in event patterns", EventBridge user guide, read 2026-11).
 */
export function compilePattern(pattern: string): EventFilter {
  const parsed = parsePattern(pattern)
  if (!isObject(parsed)) throw invalid('Filter is not an object')
  return compileObject(parsed)
}

function parsePattern(pattern: string): unknown {
  try {
    return JSON.parse(pattern)
  } catch {
    throw invalid('Filter is not valid JSON')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function compileObject(pattern: Record<string, unknown>): Match {
  const entries = Object.entries(pattern)
  if (entries.length === 0) throw invalid('Empty objects are not allowed')
  const members = entries.map(([name, inner]): Match => {
    if (name === '$or') return compileAlternatives(inner)
    const matches = compileField(name, inner)
    return (value) => matches(isObject(value) ? value[name] : undefined)
  })
  return (value) => members.every((matches) => matches(value))
}

function compileField(name: string, inner: unknown): Match {
  if (Array.isArray(inner)) return compileList(inner)
  if (isObject(inner)) return compileObject(inner)
  throw invalid(`"${name}" must be an object or an array`)
}

function compileAlternatives(alternatives: unknown): Match {
  if (!Array.isArray(alternatives) || alternatives.length < 2) throw invalid('"$or" must be an array of two or more')
  const compiled = alternatives.map((one) => {
    if (!isObject(one)) throw invalid('"$or" must be an array of objects')
    return compileObject(one)
  })
  return (value) => compiled.some((matches) => matches(value))
}

/** Matches if any value of the list matches; the event's value may also be a list. */
function compileList(list: unknown[]): Match {
  if (list.length === 0) throw invalid('Empty arrays are not allowed')
  const any = list.map(compileValue)
  return (value) => {
    const values = Array.isArray(value) && value.length > 0 ? value : [value]
    return values.some((one) => any.some((matches) => matches(one)))
  }
}

function compileValue(wanted: unknown): Match {
  if (Array.isArray(wanted)) throw invalid('Match value must be String, number, true, false, or null')
  if (!isObject(wanted)) return (value) => value === wanted
  const [operator, operand] = onlyEntry(wanted)
  switch (operator) {
    case 'exists':
      if (typeof operand !== 'boolean') throw invalid('exists match pattern must be either true or false.')
      return (value) => (value !== undefined) === operand
    case 'anything-but':
      return compileNegation(operand)
    case 'numeric':
      return compileNumeric(operand)
    case 'cidr':
      return compileCidr(operand)
    default:
      return compileText(operator, operand)
  }
}

function onlyEntry(expression: Record<string, unknown>): [operator: string, operand: unknown] {
  const [entry, ...more] = Object.entries(expression)
  if (!entry || more.length > 0) throw invalid('Only one key allowed in match expression')
  return entry
}

function compileText(operator: string, operand: unknown): Match {
  const ignoresCase = (operator === 'prefix' || operator === 'suffix') && isObject(operand)
  const [inner, text] = ignoresCase ? onlyEntry(operand) : [undefined, operand]
  if (inner !== undefined && inner !== 'equals-ignore-case') throw invalid(`Unsupported anything-but pattern: ${inner}`)
  const compare = textComparisons[operator]
  if (!compare) throw invalid(`Unrecognized match type ${operator}`)
  if (typeof text !== 'string') throw invalid(`${operator} match pattern must be a string`)
  const matches = compare(ignoresCase ? text.toLowerCase() : text)
  return (value) => typeof value === 'string' && matches(ignoresCase ? value.toLowerCase() : value)
}

const textComparisons: Record<string, (wanted: string) => (value: string) => boolean> = {
  prefix: (wanted) => (value) => value.startsWith(wanted),
  suffix: (wanted) => (value) => value.endsWith(wanted),
  'equals-ignore-case': (wanted) => (value) => value.toLowerCase() === wanted.toLowerCase(),
  wildcard(wanted) {
    if (wanted.includes('**')) throw invalid('Consecutive wildcard characters')
    const parts = wanted.split(/(?<!\\)\*/).map((part) => escapeRegExp(part.replaceAll(/\\([*\\])/g, '$1')))
    const pattern = new RegExp(`^${parts.join('.*')}$`, 's')
    return (value) => pattern.test(value)
  },
}

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Compiles `anything-but`: an existing value that matches none of the given ones. */
function compileNegation(operand: unknown): Match {
  if (isObject(operand)) {
    const [operator, wanted] = onlyEntry(operand)
    const all = (Array.isArray(wanted) ? wanted : [wanted]).map((one) => compileText(operator, one))
    if (all.length === 0) throw invalid('Empty arrays are not allowed')
    return (value) => value !== undefined && !all.some((matches) => matches(value))
  }
  const unwanted = Array.isArray(operand) ? operand : [operand]
  const types = new Set(unwanted.map((one) => typeof one))
  const isList = types.size === 1 && (types.has('string') || types.has('number'))
  if (!isList) throw invalid('Inside anything-but list, all values must be numbers or all must be strings')
  return (value) => value !== undefined && !unwanted.includes(value)
}

const numericComparisons: Record<string, (value: number, wanted: number) => boolean> = {
  '=': (value, wanted) => value === wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
}

/** Compiles one comparison, or a range such as `[">", 0, "<=", 5]`. */
function compileNumeric(operand: unknown): Match {
  if (!Array.isArray(operand) || (operand.length !== 2 && operand.length !== 4)) {
    throw invalid('Value of numeric must be an array of one or two comparisons.')
  }
  const comparisons = Array.from({ length: operand.length / 2 }, (_, index): ((value: number) => boolean) => {
    const [sign, wanted] = [operand[2 * index], operand[2 * index + 1]]
    const compare = numericComparisons[String(sign)]
    if (!compare) throw invalid(`Unrecognized numeric range operator: ${sign}`)
    if (typeof wanted !== 'number') throw invalid('Value of a numeric comparison must be a number')
    return (value) => compare(value, wanted)
  })
  return (value) => typeof value === 'number' && comparisons.every((matches) => matches(value))
}

function compileCidr(operand: unknown): Match {
  const [address = '', bits = ''] = String(operand).split('/')
  const version = isIP(address)
  const isBlock = version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
  if (typeof operand !== 'string' || !isBlock) throw invalid('Malformed CIDR, one address and one mask are expected')
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const block = new BlockList()
  block.addSubnet(address, Number(bits), family)
  return (value) => typeof value === 'string' && isIP(value) === version && block.check(value, family)
}
