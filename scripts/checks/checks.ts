import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { endLeftovers, ourProcesses } from './processes.ts'
import { isPure } from './purity.ts'
import { titleOf } from './record.ts'
import { resultOf, type SuiteResult } from './result.ts'
import { type RunOptions, runSuite, type SuiteRun } from './run-suite.ts'
import { mayRunAgain, patternOf, type SuiteFailure } from './second-chance.ts'
import type { Lane, Stage, Suite } from './suites.ts'
import type { Tools } from './tools.ts'

/** Maximum time that failed tests wait for an idle machine before they run again. */
const maxQuietWaitMs = 300_000
/** Time limit of a test that runs again alone. The slowest test of the crash suite takes a third of it. */
const maxSecondChanceS = 300

export type ChecksOptions = {
  /** Folder whose programs must have ended after each stage. */
  checkout: string
  /** Directory for logs, records and temporary files. */
  directory: string
  tools: Pick<Tools, 'provide'>
  /** Time limit of all suites together. */
  limitS: number
  /** Factor by which all time limits are multiplied, because this machine is slow. */
  slowness: number
  /** Receives each line of output. */
  print: (line: string) => void
  /** Waits until the machine is idle, at most `timeoutMs` or until `stop`. */
  waitForQuiet: (timeoutMs: number, stop: AbortSignal) => Promise<void>
  /** Stops the running suites as at their time limits, and skips all others. */
  stop: AbortSignal
}

/** Runs suites stage by stage, then gives failed tests their second chance. */
export class Checks {
  readonly #checkout: string
  readonly #directory: string
  readonly #tools: Pick<Tools, 'provide'>
  readonly #deadline: number
  readonly #slowness: number
  readonly #print: (line: string) => void
  readonly #waitForQuiet: ChecksOptions['waitForQuiet']
  readonly #stop: AbortSignal
  readonly #results: SuiteResult[] = []

  constructor({ checkout, directory, tools, limitS, slowness, print, waitForQuiet, stop }: ChecksOptions) {
    this.#checkout = checkout
    this.#directory = directory
    this.#tools = tools
    this.#print = print
    this.#waitForQuiet = waitForQuiet
    this.#stop = stop
    this.#slowness = slowness
    this.#deadline = performance.now() + limitS * slowness * 1_000
  }

  async run(stages: readonly Stage[]): Promise<{ results: SuiteResult[]; flaky: SuiteFailure[] }> {
    for (const tool of stages.flat(2).flatMap(({ tools = [] }) => tools)) {
      if (!this.#stop.aborted) await this.#tools.provide(tool) // one at a time
    }
    for (const stage of stages) await this.#runStage(stage)
    return { results: this.#results, flaky: await this.#giveSecondChances() }
  }

  async #runStage(stage: Stage): Promise<void> {
    const find = () => ourProcesses(this.#checkout, this.#directory)
    const before = find()
    await Promise.all(stage.map((lane) => this.#runLane(lane, stage.length > 1)))
    const leftovers = await endLeftovers(before, find)
    const names = stage.flat().map(({ name }) => name)
    if (leftovers.length > 0) {
      this.#results.at(-1)?.faults.push([`processes left behind by ${names.join(' or ')}:`, ...leftovers].join('\n'))
    }
  }

  async #runLane(lane: Lane, isBesideOthers: boolean): Promise<void> {
    for (const suite of lane) {
      const missing = this.#stop.aborted ? undefined : await this.#missingTool(suite)
      if (this.#stop.aborted) this.#results.push(notRun(suite))
      else if (missing === undefined) {
        this.#print(`\n== ${suite.name}: ${suite.guards}`)
        const print = (line: string) => this.#print(isBesideOthers ? `${suite.name} | ${line}` : line)
        const run = await this.#runOnce(suite, suite.limitS, { print })
        this.#results.push(resultOf(suite, run))
      } else this.#results.push(skippedResult(suite, missing))
    }
  }

  async #missingTool({ tools = [] }: Suite): Promise<string | undefined> {
    for (const tool of tools) if (!(await this.#tools.provide(tool)) && !tool.isOptional) return tool.program
    return undefined
  }

  async #runOnce(suite: Suite, limitS: number, options: Pick<RunOptions, 'print' | 'args'>): Promise<SuiteRun> {
    const directory = await mkdtemp(join(this.#directory, 'suite-'))
    const leftS = (this.#deadline - performance.now()) / 1_000
    return runSuite(suite, {
      ...options,
      stop: this.#stop,
      directory,
      limitS: Math.max(1, Math.min(limitS * this.#slowness, leftS)),
    })
  }

  /** Runs failed tests again, each alone. Those that pass are moved from the failures of their suite to the result. */
  async #giveSecondChances(): Promise<SuiteFailure[]> {
    const failures = this.#results.flatMap((result) => result.failures.map((one) => ({ ...one, suite: result.suite })))
    const candidates = failures.filter((failure) => mayRunAgain(failure, isPure))
    if (candidates.length === 0 || this.#stop.aborted) return []
    await this.#waitForQuiet(Math.min(maxQuietWaitMs, this.#deadline - performance.now()), this.#stop)
    const flaky: SuiteFailure[] = []
    for (const failure of candidates) {
      if (this.#stop.aborted) break
      if (await this.#passesAlone(failure)) flaky.push(failure)
    }
    return flaky
  }

  async #passesAlone(failure: SuiteFailure): Promise<boolean> {
    const { suite, file, name } = failure
    this.#print(`\n== ${suite.name}: once more, alone: ${titleOf(failure)}`)
    const args = name === undefined ? [file] : [file, '-t', patternOf(name)]
    const { exitCode, record } = await this.#runOnce(suite, maxSecondChanceS, { args, print: this.#print })
    if (exitCode !== 0 || !record || record.passed === 0) return false
    const result = this.#results.find((one) => one.suite === suite)
    if (!result) return false
    result.failures = result.failures.filter((one) => one.file !== file || one.name !== name)
    result.passed += record.passed
    return true
  }
}

/** Returns the result of a suite that did not start before the run was stopped. */
const notRun = (suite: Suite): SuiteResult => ({ ...emptyResult(suite), remarks: ['not run'] })

const emptyResult = (suite: Suite): SuiteResult => ({
  suite,
  passed: 0,
  skipped: 0,
  tookS: 0,
  failures: [],
  faults: [],
  remarks: [],
})

/**
 * Returns the result of a suite that cannot run here. A missing PostgreSQL is a failure, because most of the gate needs
 * it.
 */
function skippedResult(suite: Suite, missing: string): SuiteResult {
  const result = emptyResult(suite)
  if (suite.isOnPostgres) return { ...result, faults: [`${missing} is missing and could not be installed`] }
  return { ...result, skipped: 1, remarks: [`skipped: ${missing}`] }
}
