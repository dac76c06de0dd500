import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { pipelineStepExecutions } from '../src/pipelines/pipelines/tables.ts'
import { openYard, type Yard } from '../src/pipelines/runner/runner.fixture.ts'
import { listChunks } from '../src/pipelines/step-logs/store.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import { eventually } from '../src/testing/eventually.ts'
import { withProgressLimit } from './progress.ts'
import { Random, suiteSeed } from './random.ts'

/** How often the runner is killed while one program runs. */
const kills = 5
const lines = 400

/** Says of each start that it is one, then counts; waits in between so that a kill finds it at any place. */
const counting = `
echo start
i=0
while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i"; [ $((i % 10)) -ne 0 ] || sleep 0.1; done
until [ -e "$HOME/go" ]; do sleep 0.05; done
echo '{"count": '$i'}' >"$SLUICE_OUTPUT"`

const program = createRequire(import.meta.url).resolve('@sluice/runner')

/** A runner as a process. */
class RunnerProcess {
  readonly directory: string
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined

  constructor({ url, runnerToken }: Yard, directory: string) {
    this.directory = directory
    this.#env = {
      PATH: process.env.PATH ?? '',
      SLUICE_URL: url,
      SLUICE_RUNNER_TOKEN: runnerToken,
      SLUICE_RUNNER_DIR: directory,
      SLUICE_RUNNER_CAPACITY: '1', // so that a frozen one, at its only step, has no claim under way
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

  /** Makes a file where the program of an attempt finds it: in its home. */
  tell(id: string, epoch: number, name: string): Promise<void> {
    return writeFile(join(this.directory, 'attempts', `${id}-${epoch}`, 'files', name), '')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }
}

async function place() {
  const yard = await openYard()
  onTestFinished(() => yard[Symbol.asyncDispose]())
  return yard
}

/** The command lines of living processes that name the directory. */
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
    await sleep(random.between(0, 900)) // the moment of the kill
    await runner.kill()
    await runner.start()
  }
  await runner.kill()
  await runner.tell(id, 1, 'go') // it ends while no runner is there
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

test('a runner that was frozen for longer than its lease ends its program and writes nothing', async () => {
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
    (log) => log.includes('\nmore\n'), // its first line shows the script, which has the word as well
  )
  frozen.signal('SIGSTOP')
  // What a run does with a step whose lease has run out, once the back-off is over.
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
