import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Checks } from './checks.ts'
import { childrenCpuS, cpuPressure, waitForLowPressure } from './pressure.ts'
import { signal } from './processes.ts'
import { runningGroups } from './run-suite.ts'
import { tooManyFlaky } from './second-chance.ts'
import { slowness } from './slowness.ts'
import { gate, type Stage, select, verify } from './suites.ts'
import { type RunResult, summaryOf, totalsOf } from './summary.ts'
import { openTunnelDevice, pluginMirror, Tools } from './tools.ts'

// `node scripts/checks/main.ts gate`, or `verify [SUITE …]`. Ends with `N passed, N failed, N skipped`; exits with 1 if
// anything failed. The result is also written to a file that git ignores.

type Mode = {
  stages: readonly Stage[]
  /** Time limit of all suites together on two idle cores, half as much again as they may take. */
  limitS: number
  seed: (name: string) => string
}

const modes: Record<string, Mode> = {
  gate: { stages: gate, limitS: 1_800, seed: () => '20261129' },
  verify: { stages: verify, limitS: Number.POSITIVE_INFINITY, seed: () => String(randomInt(2 ** 31)) },
}
const seedNames = ['TEST_SEED', 'FUZZ_SEED', 'CRASH_SEED']
/**
 * Free memory in bytes that is enough for the files of test databases. There are thousands of them, which take ten times
 * as long on a busy disk.
 */
const memoryForFiles = 16 * 2 ** 30

const [name = '', ...suites] = process.argv.slice(2)
const mode = modes[name] ?? usageError('usage: checks gate [SUITE …] | checks verify [SUITE …]')
process.exitCode = await runSuites(mode, chooseSuites(mode))

function chooseSuites({ stages }: Mode): Stage[] {
  try {
    return select(stages, suites)
  } catch (error) {
    return usageError((error as Error).message)
  }
}

function usageError(message: string): never {
  console.error(message)
  process.exit(2)
}

async function runSuites(mode: Mode, chosen: readonly Stage[]): Promise<number> {
  const directory = await temporaryDirectory()
  const stopping = new AbortController()
  for (const interrupt of ['SIGINT', 'SIGTERM'] as const) {
    // The first one ends the suites and still prints the summary; another one ends at once.
    process.on(interrupt, () => (stopping.signal.aborted ? stopAll(directory) : stopping.abort()))
  }
  try {
    return await runIn(directory, mode, { chosen, stop: stopping.signal })
  } finally {
    await remove(directory)
  }
}

async function runIn(
  directory: string,
  { limitS, seed }: Mode,
  { chosen, stop }: { chosen: readonly Stage[]; stop: AbortSignal },
): Promise<number> {
  const seeds = Object.fromEntries(seedNames.map((one) => [one, process.env[one] ?? seed(one)]))
  Object.assign(process.env, seeds, { CI: '1', NO_COLOR: '1', TMPDIR: directory })
  process.env.SLUICE_TEST_PLUGIN_MIRROR ??= await pluginMirror()
  process.env.SLUICE_TEST_IMAGES ??= join(directory, 'images') // shared by all suites

  const tools = new Tools(directory)
  await tools.unpack({ program: 'promtool', package: 'prometheus' })
  await tools.unpack({ program: 'docker-registry', package: 'docker-registry' })
  await openTunnelDevice()
  const factor = await slowness()
  if (factor > 1) console.log(`This machine is slow or busy: time limits are multiplied by ${factor}.`)
  const checks = new Checks({
    checkout: process.cwd(),
    directory,
    tools,
    limitS,
    slowness: factor,
    print: console.log,
    waitForQuiet: waitForLowPressure,
    stop,
  })
  const found = await checks.run(chosen)
  const usage = { wallS: performance.now() / 1_000, cpuS: childrenCpuS(), cpuPressure: cpuPressure() }
  const measured = { ...usage, slowness: factor }
  const verdict = stop.aborted ? 'the run was stopped before its end' : tooManyFlaky(found.flaky)
  const result: RunResult = { ...found, verdict, seeds, ...measured }
  await writeFile(`${name}-result.json`, `${JSON.stringify(result, undefined, 2)}\n`)
  console.log(summaryOf(result))
  return totalsOf(result).failed === 0 ? 0 : 1
}

/** Creates the temporary directory, in memory if there is enough and this user can mount a file system. */
async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'checks-'))
  if (freemem() > memoryForFiles) spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=10g', 'sluice-checks', directory])
  await chmod(directory, 0o711) // the user that runs PostgreSQL needs access to a subdirectory
  return directory
}

async function remove(directory: string): Promise<void> {
  spawnSync('umount', ['--lazy', directory])
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

async function stopAll(directory: string): Promise<void> {
  for (const group of runningGroups) signal(group, 'SIGKILL')
  await remove(directory)
  process.exit(130)
}
