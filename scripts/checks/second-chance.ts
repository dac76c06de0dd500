import type { Failure } from './record.ts'
import type { Suite } from './suites.ts'

/** Failed test with its suite. */
export type SuiteFailure = Failure & { suite: Suite }

/** Maximum number of flaky tests, and of files with flaky tests, in a run that passes. */
const maxFlaky = { tests: 3, files: 2 }

/** Tests of tenancy, row-level security and the schema, where an intermittent failure is worse than a permanent one. */
const neverAgain = [
  /\/conformance\/tenancy/,
  /\/platform\/db\/(across|organization|ownership|schema)\.test/,
  /\/platform\/auth\//,
]

/** Beginning of the message of a wait that ended because nothing changed, in `eventually` and the crash tests. */
const stalled = /\bNo progress for \d/

/**
 * Reports whether a failed test may run again alone. `isPure` reports whether a test file does no I/O: such a test
 * cannot fail by chance. In suites whose violations are findings, only a stalled wait may be repeated.
 */
export function mayRunAgain(failure: SuiteFailure, isPure: (file: string) => boolean): boolean {
  const { secondChance } = failure.suite
  if (secondChance === 'never' || neverAgain.some((pattern) => pattern.test(failure.file))) return false
  if (secondChance === 'stalled') return stalled.test(failure.reason)
  return !isPure(failure.file)
}

/** Returns why the number of flaky tests fails a run; undefined if there are few enough. */
export function tooManyFlaky(flaky: readonly Failure[]): string | undefined {
  const files = new Set(flaky.map(({ file }) => file)).size
  if (flaky.length > maxFlaky.tests) return `${flaky.length} tests are flaky; a run may have ${maxFlaky.tests}`
  if (files > maxFlaky.files) return `flaky tests in ${files} files; a run may have them in ${maxFlaky.files}`
}

/**
 * Returns the pattern for `vitest -t` that matches one test only. vitest joins group names with spaces, and its reports
 * with ` > `.
 */
export const patternOf = (name: string): string =>
  `^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' > ', '( > | )')}$`
