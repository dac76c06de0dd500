import { type Failure, titleOf } from './record.ts'
import type { SuiteRun } from './run-suite.ts'
import type { Suite } from './suites.ts'

export type SuiteResult = {
  suite: Suite
  passed: number
  skipped: number
  tookS: number
  /** Failed tests, without those that passed when they ran again. */
  failures: Failure[]
  /** Failures that are no tests: an exceeded time limit, an uncaught error, a leftover process. */
  faults: string[]
  /** Facts for the summary, such as skipped tests. */
  remarks: string[]
}

/** Counts the tests of an ended suite: by its record, by its last line `N passed, N failed`, or as one check. */
export function resultOf(suite: Suite, run: SuiteRun): SuiteResult {
  const { record, output, exitCode, wasCut, tookS } = run
  const remarks = [...new Set(output.match(/skipped: [^\]\n]+|^accepted \d+ of \d+ mutated requests/gm) ?? [])]
  const result: SuiteResult = { suite, passed: 0, skipped: 0, tookS, failures: [], faults: [], remarks }
  if (wasCut) result.faults.push(cutReport(run))
  if (record) {
    result.passed = record.passed
    result.skipped = record.skipped
    result.failures = record.failures
    result.faults.push(...record.unhandled.map((reason) => `an error that no test caught\n${reason}`))
  } else if (!countFromOutput(result, output) && exitCode === 0) {
    if (/^skipped: /m.test(output)) result.skipped = 1
    else result.passed = 1
  }
  const isExplained = result.failures.length + result.faults.length > 0
  if (exitCode !== 0 && !isExplained)
    result.faults.push(`exit code ${exitCode}; its last lines:\n${lastLines(output, 20)}`)
  return result
}

/** Takes the counts from the last line `N passed, N failed` of checks that do not use vitest. */
function countFromOutput(result: SuiteResult, output: string): boolean {
  const last = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1)
  if (!last) return false
  result.passed = Number(last[1])
  if (Number(last[2]) > 0) result.faults.push(`${last[2]} failed; its last lines:\n${lastLines(output, 30)}`)
  return true
}

function cutReport({ tookS, record, output }: SuiteRun): string {
  const start = `cut after ${tookS} s`
  if (!record) return `${start}, before any test had run; its last lines:\n${lastLines(output, 20)}`
  const { passed, failures, running } = record
  const titles = running.map((test) => `  ${titleOf(test)}`)
  return [`${start}: ${passed} tests had passed, ${failures.length} had failed. Running:`, ...titles].join('\n')
}

const lastLines = (text: string, count: number): string => text.trimEnd().split('\n').slice(-count).join('\n')
