import { LRUCache } from 'lru-cache'
import { budgetMs, getWorkerResult } from '../../../../platform/aside/answered.ts'
import { shortened } from '../../../../platform/http/faults.ts'
import type { InputPattern } from '../../../module-versions/config/schema.ts'
import { isPlain, type Linear, linear } from './linear.ts'
import type { PatternResults, PatternTexts } from './match.ts'

/** Check that produces an error for each pattern that the text does not match. */
export type PatternCheck<Fault> = {
  patterns: readonly InputPattern[]
  text: string
  /** Returns the error for a message such as `must …` or `is not right …`. */
  faultOf: (message: string) => Fault
}

/** Maximum length of a text to match. */
const maxTextLength = 10_000

/**
 * Maximum cost of matching on the main thread, in states times characters, a few milliseconds. Compiling a pattern adds
 * a fixed cost. More expensive checks run in a worker thread.
 */
const maxMainThreadCost = 100_000
const compilingAs = 500

const matching = new URL('./match.ts', import.meta.url)

/** Maximum number of pairs of pattern and text per request. */
const maxPatternChecks = 20_000
/** Maximum number of errors to report. */
const maxFaults = 1_000

/** Returns the errors in order, running the pattern checks among them. */
export function runPatternChecks<Fault extends object | string>(
  findings: readonly (Fault | PatternCheck<Fault>)[],
): Fault[] {
  const verdicts = verdictsOn(findings.filter(isOpen))
  const faults: Fault[] = []
  for (const finding of findings) {
    if (faults.length >= maxFaults) break
    if (isOpen(finding)) faults.push(...faultsBy(verdicts, finding))
    else faults.push(finding)
  }
  return faults
}

function faultsBy<Fault>(verdicts: Verdicts, { text, patterns, faultOf }: PatternCheck<Fault>): Fault[] {
  if (patterns.length > 0 && text.length > maxTextLength)
    return [faultOf(`must have at most ${maxTextLength} characters`)]
  return patterns.flatMap(({ pattern, message }) => {
    const isFound = verdicts.get(pattern)?.get(text)
    if (isFound === true) return []
    if (isFound === undefined) return [faultOf(tooMany)]
    return [faultOf(isFound === false ? `is not right: ${shortened(message)}` : uncheckable)]
  })
}

const tooMany = `cannot be checked by its pattern: a request can have at most ${maxPatternChecks} texts to be tried on patterns`

const uncheckable = `cannot be checked by its pattern: all patterns of a request have ${budgetMs} ms, and these took longer`

const isOpen = <Fault>(finding: Fault | PatternCheck<Fault>): finding is PatternCheck<Fault> =>
  typeof finding === 'object' && finding !== null && 'faultOf' in finding

/** Results by pattern and text. */
type Verdicts = Map<string, Map<string, boolean | null>>

function verdictsOn(checks: readonly PatternCheck<unknown>[]): Verdicts {
  const verdicts: Verdicts = new Map()
  const questions = new Map<string, Set<string>>()
  let left = maxMainThreadCost
  let count = 0
  for (const { patterns, text } of checks) {
    if (text.length > maxTextLength) continue
    count += patterns.length
    if (count > maxPatternChecks) break
    for (const { pattern } of patterns) {
      const engine = linearOf(pattern)
      const cost = engine ? engine.size * (text.length + compilingAs) : Number.POSITIVE_INFINITY
      const quick = cost <= left && isPlain(text) ? engine?.compiled() : undefined
      if (quick) {
        left -= cost
        note(verdicts, pattern, text, quick.test(text))
      } else {
        questions.set(pattern, (questions.get(pattern) ?? new Set()).add(text))
      }
    }
  }
  const asked = [...questions].map(([pattern, texts]): PatternTexts => ({ pattern, texts: [...texts] }))
  if (asked.length === 0) return verdicts
  const answer = getWorkerResult<PatternResults[]>(matching, asked)
  for (const [index, { pattern, texts }] of asked.entries()) {
    for (const [at, text] of texts.entries()) {
      note(verdicts, pattern, text, 'result' in answer ? (answer.result[index]?.[at] ?? null) : null)
    }
  }
  return verdicts
}

function note(verdicts: Verdicts, pattern: string, text: string, isFound: boolean | null): void {
  const known = verdicts.get(pattern) ?? new Map<string, boolean | null>()
  verdicts.set(pattern, known.set(text, isFound))
}

/** Cache of translated patterns, which few modules share. Patterns of hostile tenants are evicted. */
const cache = new LRUCache<string, { engine: Linear | undefined }>({ max: 1_000 })
/** Maximum length of a cached pattern; longer ones are matched in a worker thread. */
const maxCachedLength = 1_000

function linearOf(pattern: string): Linear | undefined {
  if (pattern.length > maxCachedLength) return undefined
  const known = cache.get(pattern)
  if (known) return known.engine
  const engine = linear(pattern)
  cache.set(pattern, { engine })
  return engine
}
