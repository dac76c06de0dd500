import type { Failure } from './record.ts'
import type { Suite } from './suites.ts'

/** A failed test, with the suite it belongs to. */
export type SuiteFailure = Failure & { suite: Suite }

/** More flaky tests than this, or flaky tests in more files than this, fail the run. */
const maxFlaky = { tests: 3, files: 2 }

/** Tenancy, row-level security and the schema: a failure that comes and goes there is worse than one that stays. */
const neverAgain = [
  /\/conformance\/tenancy/,
  /\/platform\/db\/(across|organization|ownership|schema)\.test/,
  /\/platform\/auth\//,
]

/** How `eventually` and the crash tests begin the message of a wait that ended because nothing changed any more. */
const stalled = /\bNo progress for \d/

/**
 * Returns whether a failed test may run a second time, alone. `isPure` says whether the file of a test does no I/O: such
 * a test has nothing to be unlucky with. In suites whose violations are findings, only a wait that ended may be repeated.
 */
export function mayRunAgain(failure: SuiteFailure, isPure: (file: string) => boolean): boolean {
  const { secondChance } = failure.suite
  if (secondChance === 'never' || neverAgain.some((pattern) => pattern.test(failure.file))) return false
  if (secondChance === 'stalled') return stalled.test(failure.reason)
  return !isPure(failure.file)
}

/** Returns why the flaky tests of a run fail it, or undefined if they are few enough. */
export function tooManyFlaky(flaky: readonly Failure[]): string | undefined {
  const files = new Set(flaky.map(({ file }) => file)).size
  if (flaky.length > maxFlaky.tests) return `${flaky.length} tests are flaky; a run may have ${maxFlaky.tests}`
  if (files > maxFlaky.files) return `flaky tests in ${files} files; a run may have them in ${maxFlaky.files}`
}

/** The pattern for `vitest -t` that matches one test only. It joins names of groups with spaces, its reports with ` > `. */
export const patternOf = (name: string): string =>
  `^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' > ', '( > | )')}$`
