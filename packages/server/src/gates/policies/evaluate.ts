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
import { processorMs, within } from '../../platform/within.ts'
import { checked, type Fault } from './check.ts'
import { type CutList, isList, isRecord, longestList, longestText, type Type, type Variables } from './types.ts'

/** What comes of an expression: only `ALLOWED` lets anything go on. */
export type Verdict = { verdict: 'ALLOWED' } | { verdict: 'VIOLATED' } | { verdict: 'FAILED'; reason: string }

/** What an expression is asked about: values by the names of its variables, in JSON; times as JSON has them. */
export type Subject = Readonly<Record<string, unknown>>

export type Question = { expressions: readonly string[]; variables: Variables; subjects: readonly Subject[] }

/** What came of an expression: a verdict on each subject, or what is wrong with it before any is looked at. */
export type Answer = { verdicts: Verdict[] } | { fault: Fault }

/**
 * Evaluates each expression about each subject. What they take, nobody else waits for: it is to be called beside the
 * main thread, and whatever is not evaluated within the budget has failed.
 */
export function work({ expressions, variables, subjects }: Question, budgetMs: number): Answer[] {
  const startMs = processorMs()
  const leftMs = () => Math.floor(budgetMs - (processorMs() - startMs))
  const gaveUp = failed(`it was given up after ${budgetMs} ms`)
  return expressions.map((expression) => {
    if (leftMs() < 1) return { verdicts: subjects.map(() => gaveUp) }
    const read = checked(expression, variables)
    if ('fault' in read) return read
    const planned = plan(environment, read.tree)
    const verdicts = subjects.map((subject) => {
      const mostMs = leftMs()
      if (mostMs < 1) return gaveUp
      const done = within(mostMs, () => verdictOn(planned, variables, subject))
      return 'trouble' in done ? failed(done.trouble) : done.result
    })
    return { verdicts }
  })
}

const failed = (reason: string): Verdict => ({ verdict: 'FAILED', reason })

type Planned = ReturnType<typeof plan>

/** A text made of texts could double with each macro. */
const concatenation = celFunc('_+_', [CelScalar.STRING, CelScalar.STRING], CelScalar.STRING, (one, other) => {
  if (one.length + other.length > longestText) throw new Error(`a text has ${longestText} characters at most`)
  return one + other
})

/** The library reads an empty text as 0 and any other as NaN, both of which a policy could take for a small number. */
const doubleOf = celFunc('double', [CelScalar.STRING], CelScalar.DOUBLE, (text) => {
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) throw new Error('double() takes a text with a decimal number, such as 12.5')
  return number
})

/** The library takes hexadecimal numbers, blanks and an empty text, too. */
const intOf = celFunc('int', [CelScalar.STRING], CelScalar.INT, (text) => {
  if (!/^[+-]?\d+$/.test(text)) throw new Error('int() takes a text with a whole number, such as 12')
  const number = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(64, number) !== number) throw new Error('int() takes a number of 64 bits')
  return number
})

/** The library reads a text without a number as no time at all. */
const durationOf = celFunc('duration', [CelScalar.STRING], objectType(DurationSchema), (text) => {
  const duration = /\d/.test(text) ? run('duration(text)', { text }) : undefined
  if (!isReflectMessage(duration, DurationSchema)) throw new Error('duration() takes a text such as 1h30m')
  return duration
})

const environment = celEnv({ funcs: [concatenation, doubleOf, intOf, durationOf] })

/** Only `true` allows: neither what failed, nor anything else that an expression could come to. */
function verdictOn(planned: Planned, variables: Variables, subject: Subject): Verdict {
  const values = seenAs({ fields: variables }, subject, '')
  const result = planned(values as Record<string, CelInput>)
  if (result === true) return { verdict: 'ALLOWED' }
  if (result === false) return { verdict: 'VIOLATED' }
  return failed(isCelError(result) ? result.message : 'it came to neither true nor false')
}

/**
 * Returns a value as an expression sees it, without what its type does not name. A list that is too long is an error
 * that only an expression which reads it comes to.
 */
function seenAs(type: Type, value: unknown, path: string): unknown {
  if (isRecord(type)) return recordOf(type.fields, value, path)
  if (isList(type)) {
    if (isTruncated(value)) return celError(`${path} has ${value.cutFrom} elements, and not all of them are stored`)
    if (!Array.isArray(value)) throw unfit(path)
    if (value.length > longestList)
      return celError(`${path} has ${value.length} elements, and ${longestList} at most are seen`)
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
      if (value.length > longestText)
        throw new Error(`${path} has ${value.length} characters, and ${longestText} at most are seen`)
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
