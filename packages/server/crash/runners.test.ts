import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { pipelineStepExecutions } from '../src/pipelines/pipelines/tables.ts'
import { type RunnerTestApi, startRunnerTestApi } from '../src/pipelines/runner/runner.fixture.ts'
import { listChunks } from '../src/pipelines/step-logs/store.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import { eventually } from '../src/testing/eventually.ts'
import { withProgressLimit } from './progress.ts'
import { Random, suiteSeed } from './random.ts'

/** Number of times that the runner is killed while one program runs. */
const kills = 5
const lines = 400

/** Script that prints its start and then counts slowly, so that kills hit it at any place. */
const counting = `
echo start
i=0
while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i"; [ $((i % 10)) -ne 0 ] || sleep 0.1; done
until [ -e "$HOME/go" ]; do sleep 0.05; done
echo '{"count": '$i'}' >"$SLUICE_OUTPUT"`

const program = createRequire(import.meta.url).resolve('@sluice/runner')

/** Runner as a process that tests kill and freeze. */
class RunnerProcess {
  readonly directory: string
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined

  constructor({ url, runnerToken }: RunnerTestApi, directory: string) {
    this.directory = directory
    this.#env = {
      PATH: process.env.PATH ?? '',
      SLUICE_URL: url,
      SLUICE_RUNNER_TOKEN: runnerToken,
      SLUICE_RUNNER_DIR: directory,
      SLUICE_RUNNER_CAPACITY: '1', // makes a frozen runner, which has a step, lease no other
    }
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [program], { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    const died = once(child, 'exit').then(([code, signal]) => {
      if (this.#child === child) throw new Error(`The runner exited: exit code ${code}, signal ${signal}`)
    })
    await withProgressLimit('the runner to say something', Promise.race([once(child.stdout, 'data'), died]))
  }

  async kill(): Promise<void> {
    if (!this.#child) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    this.#child = undefined
  }

  /** Creates a file in the home directory of an attempt, where its program finds it. */
  tell(id: string, epoch: number, name: string): Promise<void> {
    return writeFile(join(this.directory, 'attempts', `${id}-${epoch}`, 'files', name), '')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }
}

async function place() {
  const yard = await startRunnerTestApi()
  onTestFinished(() => yard[Symbol.asyncDispose]())
  return yard
}

/** Returns the command lines of running processes that contain the directory. */
async function processesOf(directory: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'pid=,command='])
  return stdout.split('\n').filter((line) => line.includes(directory))
}

const counted = Array.from({ length: lines }, (_, index) => `line ${index + 1}`)

test(`a program outlives ${kills} kills of its runner, runs once, and its log has every line once`, async () => {
  const random = new Random(suiteSeed())
  const yard = await place()
  const { directory, db, organizationId } = yard
  const id = await yard.command({ shell: counting })
  const runner = new RunnerProcess(yard, join(directory, 'killed'))
  onTestFinished(() => runner.kill())

  await runner.start()
  await eventually(
    'the program to run',
    () => yard.logOf(id),
    (log) => log.includes('start'),
  )
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(random.between(0, 900)) // time of the kill
    await runner.kill()
    await runner.start()
  }
  await runner.kill()
  await runner.tell(id, 1, 'go') // the program ends while no runner runs
  await eventually(
    'the program to be over',
    () => processesOf(runner.directory),
    (left) => left.length === 0,
  )
  await runner.start()
  expect(await yard.untilOver(id)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1, outputData: { count: lines } })
  expect((await yard.logOf(id)).match(/^start$/gm)).toHaveLength(1)
  expect((await yard.logOf(id)).split('\n').filter((line) => /^line \d+$/.test(line))).toEqual(counted)
  expect((await yard.logOf(id)).split('\n').filter((line) => line.startsWith('$ '))).toHaveLength(1)
  const chunks = await listChunks(db, organizationId, id, { after: 0, limit: 10_000 })
  expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index + 1))
})

test('a runner that was frozen for longer than its lease ends its program and reports nothing', async () => {
  const yard = await place()
  const { directory, db } = yard
  const shell = 'echo "pid $$"; until [ -e "$HOME/go" ]; do sleep 0.05; echo more; done; echo over'
  const id = await yard.command({ shell })
  const frozen = new RunnerProcess(yard, join(directory, 'a'))
  const other = new RunnerProcess(yard, join(directory, 'b'))
  onTestFinished(async () => {
    await Promise.all([frozen.kill(), other.kill()])
  })
  await frozen.start()
  await eventually(
    'the program to run',
    () => yard.logOf(id),
    (log) => log.includes('\nmore\n'), // the first line shows the script, which contains the word too
  )
  frozen.signal('SIGSTOP')
  // State of a step whose lease has expired, after the back-off.
  const again = { status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', runnerId: null, leaseUntil: null } as const
  await db.update(pipelineStepExecutions).set(again).where(eq(pipelineStepExecutions.id, id))
  await other.start()
  await eventually(
    'another attempt',
    () => yard.stepOf(id),
    ({ attemptEpoch }) => attemptEpoch === 2,
  )
  expect(await processesOf(join(directory, 'a'))).not.toEqual([])

  frozen.signal('SIGCONT')
  await eventually(
    'the old program to be gone',
    () => processesOf(join(directory, 'a')),
    (left) => left.length === 0,
  )
  await other.tell(id, 2, 'go')
  expect(await yard.untilOver(id)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 2 })
  const log = await yard.logOf(id)
  expect(log.match(/^over$/gm)).toHaveLength(1)
  expect(log.match(/^pid /gm)).toHaveLength(2)
})
