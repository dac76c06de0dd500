import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Checks } from './checks.ts'
import type { Suite } from './suites.ts'
import { type RunResult, summaryOf, totalsOf } from './summary.ts'

const reporter = new URL('./reporter.ts', import.meta.url).pathname
const caches = new URL('../../node_modules/.cache', import.meta.url).pathname

/** Creates a vitest suite whose only file has this code. */
async function suiteOf(code: string, wishes: Partial<Suite> = {}): Promise<Suite> {
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(join(caches, 'checks-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const config = { test: { exclude: [], globals: true, reporters: [reporter], testTimeout: 60_000 } }
  await writeFile(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  // The import makes the test impure, so that it may run again after a failure.
  await writeFile(join(folder, 'some.test.js'), `import 'node:child_process'\nimport fs from 'node:fs'\n${code}`)
  const command = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--root', folder]
  return { name: 'example', guards: 'examples', command, limitS: 60, secondChance: 'any', ...wishes }
}

/** Time limit in seconds in which vitest certainly starts, on a busy machine too. */
const startS = 15

/** Tools of a machine without package installation. */
const noTools = { provide: async () => false }

async function runOnly(suite: Suite, stop = new AbortController().signal): Promise<RunResult> {
  const directory = await mkdtemp(join(tmpdir(), 'checks-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const checks = new Checks({
    checkout: directory, // programs of this checkout belong to concurrent tests
    directory,
    tools: noTools,
    limitS: 120,
    slowness: 1,
    print: () => {},
    waitForQuiet: async () => {},
    stop,
  })
  const found = await checks.run([[[suite]]])
  return { ...found, verdict: undefined, seeds: {}, wallS: 1, cpuS: 1, cpuPressure: 0, slowness: 1 }
}

test('a suite that exceeds its limit reports which tests had run and which was running', async () => {
  const suite = await suiteOf(
    `test('passes', () => {})
     test('never ends', () => new Promise(() => {}))`,
    { limitS: startS },
  )
  const result = await runOnly(suite)
  expect(summaryOf(result)).toMatch(
    /cut after \d+ s: 1 tests had passed, 0 had failed. Running:\s+.*some.test.js > never ends/,
  )
  expect(totalsOf(result)).toMatchObject({ passed: 1, failed: 1 })
})

test('a suite that runs when the run is stopped reports which test was running', async () => {
  const suite = await suiteOf(
    `test('never ends', () => new Promise(() => setTimeout(() => console.log('begun'), 500)))`,
  )
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(), startS * 1_000)
  expect(summaryOf(await runOnly(suite, stopping.signal))).toMatch(/cut after .*Running:\s+.*never ends/s)
})

test('a suite is not run after the run was stopped', async () => {
  const result = await runOnly(await suiteOf(`test('passes', () => {})`), AbortSignal.abort())
  expect(summaryOf(result)).toMatch(/not run/)
  expect(totalsOf(result)).toEqual({ passed: 0, failed: 0, skipped: 0 })
})

test('a suite that stops its own process group is ended at its limit too', async () => {
  // Delayed, because vitest collects the events of a worker for some 100 ms.
  const code = `test('stops everything', () => new Promise(() => setTimeout(() => process.kill(0, 'SIGSTOP'), 500)))`
  const suite = await suiteOf(code, { limitS: startS })
  expect(summaryOf(await runOnly(suite))).toMatch(/cut after .*Running:\s+.*stops everything/s)
})

test('a test that fails once and passes alone is listed as flaky, with its first reason', async () => {
  const suite = await suiteOf(`
    const marker = new URL('./has-run', import.meta.url)
    test('fails at first', () => {
      const isFirst = !fs.existsSync(marker)
      fs.writeFileSync(marker, '')
      expect(isFirst).toBe(false)
    })
    test('passes', () => {})`)
  const result = await runOnly(suite)
  expect(summaryOf(result)).toMatch(/FLAKY .*some.test.js > fails at first\n.*expected true to be false/)
  expect(totalsOf(result)).toEqual({ passed: 2, failed: 0, skipped: 0 })
})

test('a test that fails twice fails the run', async () => {
  const result = await runOnly(await suiteOf(`test('fails', () => expect(1).toBe(2))`))
  expect(summaryOf(result)).toMatch(/FAILED .*some.test.js > fails\n.*expected 1 to be 2/)
  expect(totalsOf(result)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('an uncaught error fails the run and is reported', async () => {
  const code = `test('passes', async () => { Promise.reject(new Error('lost')); await new Promise(setImmediate) })`
  const result = await runOnly(await suiteOf(code))
  expect(summaryOf(result)).toMatch(/an error that no test caught\s+Error: lost/)
  expect(totalsOf(result)).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test('a suite is skipped without a required tool, and runs without an optional one', async () => {
  const plain: Suite = { name: 'plain', guards: '', command: ['true'], limitS: 10, secondChance: 'never' }
  const tool = { program: 'no-such-program', package: 'no-such-package' }
  const skipped = await runOnly({ ...plain, tools: [tool] })
  expect(summaryOf(skipped)).toContain('skipped: no-such-program')
  expect(totalsOf(skipped)).toEqual({ passed: 0, failed: 0, skipped: 1 })
  const run = await runOnly({ ...plain, tools: [{ ...tool, isOptional: true }] })
  expect(totalsOf(run)).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('a suite without tests counts as one check, or by the counts in its last line', async () => {
  const plain: Suite = { name: 'plain', guards: '', command: [], limitS: 10, secondChance: 'never' }
  const outcomes = []
  for (const script of [
    'true',
    'echo went wrong; exit 3',
    'echo 5 passed, 0 failed',
    'echo 5 passed, 2 failed; exit 1',
  ]) {
    const result = await runOnly({ ...plain, command: ['bash', '-c', script] })
    outcomes.push(totalsOf(result))
  }
  expect(outcomes).toEqual([
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 0, failed: 1, skipped: 0 },
    { passed: 5, failed: 0, skipped: 0 },
    { passed: 5, failed: 1, skipped: 0 },
  ])
})
