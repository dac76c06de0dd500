import {
  type CelInput,
  CelScalar,
  celEnv,
  celError,
  celFunc,
  celMap,
  isCelError,
  objectType,
  plan,
  run,
} from '@bufbuild/cel'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import { DurationSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { processorMs, withSyncTimeout } from '../../platform/within.ts'
import { checkExpression, type ExpressionProblem } from './check.ts'
import { type CutList, isList, isRecord, maxListLength, maxTextLength, type Type, type Variables } from './types.ts'

/** Result of an expression: only `ALLOWED` lets a subject proceed. */
export type Verdict = { verdict: 'ALLOWED' } | { verdict: 'VIOLATED' } | { verdict: 'FAILED'; reason: string }

/** JSON values of an expression's variables, by name; times have their JSON format. */
export type Subject = Readonly<Record<string, unknown>>

export type PolicyEvaluationRequest = {
  expressions: readonly string[]
  variables: Variables
  subjects: readonly Subject[]
}

/** Result of an expression: one per subject, or an error in the expression itself. */
export type PolicyEvaluation = { verdicts: Verdict[] } | { fault: ExpressionProblem }

/**
 * Evaluates each expression for each subject. Must run in a worker thread, because expressions can take long. Whatever
 * is not evaluated within the budget has failed.
 */
export function work(
  { expressions, variables, subjects }: PolicyEvaluationRequest,
  budgetMs: number,
): PolicyEvaluation[] {
  const startMs = processorMs()
  const leftMs = () => Math.floor(budgetMs - (processorMs() - startMs))
  const gaveUp = failed(`it was given up after ${budgetMs} ms`)
  return expressions.map((expression) => {
    if (leftMs() < 1) return { verdicts: subjects.map(() => gaveUp) }
    const read = checkExpression(expression, variables)
    if ('fault' in read) return read
    const planned = plan(environment, read.tree)
    const verdicts = subjects.map((subject) => {
      const mostMs = leftMs()
      if (mostMs < 1) return gaveUp
      const done = withSyncTimeout(mostMs, () => verdictOn(planned, variables, subject))
      return 'trouble' in done ? failed(done.trouble) : done.result
    })
    return { verdicts }
  })
}

const failed = (reason: string): Verdict => ({ verdict: 'FAILED', reason })

type Planned = ReturnType<typeof plan>

/** Replaces the concatenation of texts, which could double a text with each macro. */
const concatenation = celFunc('_+_', [CelScalar.STRING, CelScalar.STRING], CelScalar.STRING, (one, other) => {
  if (one.length + other.length > maxTextLength) throw new Error(`a text has ${maxTextLength} characters at most`)
  return one + other
})

/**
 * Replaces the conversion to double. The library converts an empty text to 0 and any other to NaN, which a policy could
 * treat as a small number.
 */
const doubleOf = celFunc('double', [CelScalar.STRING], CelScalar.DOUBLE, (text) => {
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw new Error('double() takes a text with a decimal number, such as 12.5')
  return number
})

/** Replaces the conversion to integer. The library also accepts hexadecimal numbers, blanks and an empty text. */
const intOf = celFunc('int', [CelScalar.STRING], CelScalar.INT, (text) => {
  if (!/^[+-]?\d+$/.test(text)) throw new Error('int() takes a text with a whole number, such as 12')
  const number = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(64, number) !== number) throw new Error('int() takes a number of 64 bits')
  return number
})

/** Replaces the conversion to duration. The library converts a text without a number to a zero duration. */
const durationOf = celFunc('duration', [CelScalar.STRING], objectType(DurationSchema), (text) => {
  const duration = /\d/.test(text) ? run('duration(text)', { text }) : undefined
  if (!isReflectMessage(duration, DurationSchema)) throw new Error('duration() takes a text such as 1h30m')
  return duration
})

const environment = celEnv({ funcs: [concatenation, doubleOf, intOf, durationOf] })

/** Returns the result for a subject. Only `true` allows: neither an error nor any other value does. */
function verdictOn(planned: Planned, variables: Variables, subject: Subject): Verdict {
  const values = seenAs({ fields: variables }, subject, '')
  const result = planned(values as Record<string, CelInput>)
  if (result === true) return { verdict: 'ALLOWED' }
  if (result === false) return { verdict: 'VIOLATED' }
  return failed(isCelError(result) ? result.message : 'it came to neither true nor false')
}

/**
 * Converts a value to its type, without fields that the type does not name. A list that is too long becomes an error,
 * which only an expression that reads it gets.
 */
function seenAs(type: Type, value: unknown, path: string): unknown {
  if (isRecord(type)) return recordOf(type.fields, value, path)
  if (isList(type)) {
    if (isTruncated(value)) return celError(`${path} has ${value.cutFrom} elements, and not all of them are stored`)
    if (!Array.isArray(value)) throw unfit(path)
    if (value.length > maxListLength)
      return celError(`${path} has ${value.length} elements, and ${maxListLength} at most are seen`)
    return value.map((one) => seenAs(type.list, one, path))
  }
  switch (type) {
    case 'int':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
      break
    case 'double':
      if (typeof value === 'number') return value
      break
    case 'bool':
      if (typeof value === 'boolean') return value
      break
    case 'timestamp':
      if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return timestampFromDate(new Date(value))
      break
    case 'string':
      if (typeof value !== 'string') break
      if (value.length > maxTextLength)
        throw new Error(`${path} has ${value.length} characters, and ${maxTextLength} at most are seen`)
      return value
  }
  throw unfit(path)
}

const isTruncated = (value: unknown): value is CutList =>
  typeof value === 'object' && value !== null && 'cutFrom' in value

function recordOf(fields: Readonly<Record<string, Type>>, value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) throw unfit(path)
  const given = new Map(Object.entries(value))
  const known = Object.entries(fields).filter(([name]) => given.get(name) !== undefined)
  const seen = known.map(([name, type]) => {
    const place = path === '' ? name : `${path}.${name}`
    return [name, seenAs(type, given.get(name), place)] as const
  })
  return path === '' ? Object.fromEntries(seen) : withErrors(seen)
}

/** Returns a record some of whose members may be errors. A map of CEL contains values alone. */
function withErrors(members: readonly (readonly [string, unknown])[]) {
  const [errors, values] = [members.filter(([, one]) => isCelError(one)), members.filter(([, one]) => !isCelError(one))]
  const map = celMap(new Map(values) as Map<string, CelInput>)
  if (errors.length === 0) return map
  const known = new Map(errors)
  return Object.create(map, { get: { value: (key: unknown) => known.get(String(key)) ?? map.get(String(key)) } })
}

const unfit = (path: string) => new Error(`${path} is not what its type says`)
