import { type CelInput, CelScalar, celEnv, celFunc, isCelError, plan } from '@bufbuild/cel'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Work } from '../../platform/aside/aside.ts'
import { within } from '../../platform/within.ts'
import { checked } from './check.ts'
import { isList, isRecord, type Type, type Variables } from './types.ts'

/** What comes of an expression: only `ALLOWED` lets anything go on. */
export type Verdict = { verdict: 'ALLOWED' } | { verdict: 'VIOLATED' } | { verdict: 'FAILED'; reason: string }

/** What an expression is asked about: values by the names of its variables, in JSON; times as they are written in it. */
export type Subject = Readonly<Record<string, unknown>>

export type Question = { expression: string; variables: Variables; subjects: readonly Subject[] }

/** Of a list that an expression sees, and of a text that it sees or makes. Beyond, it fails: nothing is cut off. */
export const longestList = 500
export const longestText = 10_000

/**
 * Evaluates an expression about each subject. What one takes, nobody else waits for: it is to be called beside the main
 * thread, and whatever is not evaluated within the budget has failed.
 */
export const work: Work<Question, Verdict[]> = ({ expression, variables, subjects }, budgetMs) => {
  const deadline = performance.now() + budgetMs
  const program = programOf(expression, variables)
  return subjects.map((subject) => {
    if ('reason' in program) return failed(program.reason)
    const leftMs = Math.floor(deadline - performance.now())
    if (leftMs < 1) return failed(`it was given up after ${budgetMs} ms`)
    const done = within(leftMs, () => verdictOn(program.run, variables, subject))
    return 'trouble' in done ? failed(done.trouble) : done.result
  })
}

const failed = (reason: string): Verdict => ({ verdict: 'FAILED', reason })

type Run = (values: Record<string, CelInput>) => unknown

function programOf(expression: string, variables: Variables): { run: Run } | { reason: string } {
  const read = checked(expression, variables)
  if ('fault' in read) return { reason: read.fault.message }
  const planned = plan(environment, read.tree)
  return { run: (values) => planned(values) }
}

/** A text made of texts could double with each macro. */
const concatenation = celFunc('_+_', [CelScalar.STRING, CelScalar.STRING], CelScalar.STRING, (one, other) => {
  if (one.length + other.length > longestText) throw new Error(`a text has ${longestText} characters at most`)
  return one + other
})

const environment = celEnv({ funcs: [concatenation] })

/** Only `true` allows: neither what failed, nor anything else that an expression could come to. */
function verdictOn(run: Run, variables: Variables, subject: Subject): Verdict {
  const values = seenAs({ fields: variables }, subject, '')
  const result = run(values as Record<string, CelInput>)
  if (result === true) return { verdict: 'ALLOWED' }
  if (result === false) return { verdict: 'VIOLATED' }
  return failed(isCelError(result) ? result.message : 'it came to neither true nor false')
}

/** A value as an expression sees it: what its type does not name is not there. */
function seenAs(type: Type, value: unknown, path: string): unknown {
  if (isRecord(type)) return recordOf(type.fields, value, path)
  if (isList(type)) {
    if (!Array.isArray(value)) throw unfit(path)
    if (value.length > longestList)
      throw new Error(`${path} has ${value.length} elements, and ${longestList} at most are seen`)
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

function recordOf(fields: Readonly<Record<string, Type>>, value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw unfit(path)
  const given = new Map(Object.entries(value))
  const known = Object.entries(fields).filter(([name]) => given.get(name) !== undefined)
  return Object.fromEntries(
    known.map(([name, type]) => [name, seenAs(type, given.get(name), path === '' ? name : `${path}.${name}`)]),
  )
}

const unfit = (path: string) => new Error(`${path} is not what its type says`)
