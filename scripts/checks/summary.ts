import { titleOf } from './record.ts'
import type { SuiteResult } from './result.ts'
import type { SuiteFailure } from './second-chance.ts'

/** Result of a run of suites. */
export type RunResult = {
  results: SuiteResult[]
  /** Tests that failed first and passed when they ran again alone. */
  flaky: SuiteFailure[]
  /** Reason why the run fails although its tests passed in the end. */
  verdict: string | undefined
  seeds: Readonly<Record<string, string>>
  wallS: number
  cpuS: number | undefined
  /** Average of the last ten seconds, in percent. */
  cpuPressure: number | undefined
  /** Factor by which time limits were multiplied on this machine. */
  slowness: number
}

const failedCount = ({ failures, faults }: SuiteResult): number => failures.length + faults.length

/** Counts the whole run. A verdict counts as one more failure, so that the last line never says `0 failed`. */
export function totalsOf({ results, verdict }: RunResult): { passed: number; failed: number; skipped: number } {
  const sum = (count: (result: SuiteResult) => number) => results.reduce((total, result) => total + count(result), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(failedCount) + (verdict === undefined ? 0 : 1),
    skipped: sum(({ skipped }) => skipped),
  }
}

/** Returns the summary of a run. Its last line is `N passed, N failed, N skipped`. */
export function summaryOf(run: RunResult): string {
  const { passed, failed, skipped } = totalsOf(run)
  const lines = ['', '== Summary', ...run.results.flatMap(linesOf)]
  for (const test of run.flaky) lines.push(`FLAKY ${titleOf(test)}`, ...indented(firstLines(test.reason)))
  if (run.verdict !== undefined) lines.push(`FAILED ${run.verdict}`)
  const seeds = Object.entries(run.seeds).map(([name, seed]) => `${name}=${seed}`)
  lines.push(`seeds: ${seeds.join(' ')}`)
  const cpu = run.cpuS === undefined ? '' : `, ${Math.round(run.cpuS)} s of processor time`
  const pressure = run.cpuPressure === undefined ? '' : `, processor pressure ${run.cpuPressure} %`
  const limits = run.slowness === 1 ? '' : `, limits × ${run.slowness}`
  lines.push(
    `${Math.round(run.wallS)} s${cpu}${pressure}${limits}`,
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  )
  return lines.join('\n')
}

function linesOf(result: SuiteResult): string[] {
  const { suite, passed, skipped, tookS, failures, faults, remarks } = result
  const counts = [`${passed} passed`, `${failedCount(result)} failed`, `${skipped} skipped`, `${tookS} s`]
  const line = [suite.name.padEnd(14), ...counts.map((count) => count.padStart(14))].join('')
  const failed = failures.flatMap((failure) => [`FAILED ${titleOf(failure)}`, ...indented(firstLines(failure.reason))])
  const other = faults.flatMap((fault) => [`FAILED ${suite.name}`, ...indented(fault)])
  return [line, ...indented([...remarks, ...failed, ...other].join('\n'))]
}

const indented = (text: string): string[] =>
  text === '' ? [] : text.split('\n').map((line) => `    ${line}`.slice(0, 240))

const firstLines = (text: string): string => text.split('\n').slice(0, 12).join('\n')
