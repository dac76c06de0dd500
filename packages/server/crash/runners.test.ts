import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../src/pipelines/pipelines/tables.ts'
import { finalStatuses, openYard, type Yard } from '../src/pipelines/runner/runner.fixture.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { eventually } from '../src/testing/eventually.ts'
import { Random, seedFor } from './random.ts'

/** How often the runner is killed while one program runs. */
const kills = 5
const lines = 400

/** Says of each start that it is one, then counts; waits in between so that a kill finds it at any place. */
const counting = `
echo start >>"$WHERE/starts"
i=0
while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i"; [ $((i % 10)) -ne 0 ] || sleep 0.1; done
until [ -e "$WHERE/go" ] || ! [ -e "$WHERE" ]; do sleep 0.05; done
echo '{"count": '$i'}' >"$SLUICE_OUTPUT"`

type Seen = { step: PipelineStepExecutionRow; sequences: number[]; log: string }

const program = new URL('./runner.ts', import.meta.url)

/** A runner as a process. */
class RunnerProcess {
  readonly #args: string[]
  #child: ChildProcess | undefined

  constructor(dataDir: string, databaseUrl = '') {
    this.#args = [dataDir, databaseUrl]
  }

  async start(): Promise<void> {
    this.#child = fork(program, this.#args)
    await once(this.#child, 'message')
  }

  async kill(): Promise<void> {
    if (!this.#child) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    this.#child = undefined
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  async see(id: string): Promise<Seen> {
    this.#child?.send(id)
    const [seen] = await once(this.#child as ChildProcess, 'message')
    return seen as Seen
  }
}

async function place() {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runners-'))
  const database = await createTestDatabase(join(directory, 'data', 'database'))
  const seed = async <T>(work: (yard: Yard) => Promise<T>): Promise<T> => {
    const { db, close } = await openDatabase(database.location)
    const made = await work(await openYard(db))
    await close()
    return made
  }
  onTestFinished(async () => {
    await database.drop()
    await rm(directory, { recursive: true, force: true })
  })
  return { directory, dataDir: join(directory, 'data'), database, seed }
}

/** The command lines of living processes that name the directory. */
async function processesOf(directory: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'pid=,command='])
  return stdout.split('\n').filter((line) => line.includes(directory) && !line.includes('runner.ts'))
}

const counted = Array.from({ length: lines }, (_, index) => `line ${index + 1}`)

test(`a program outlives ${kills} kills of its runner, runs once, and its log has every line once`, async () => {
  const random = new Random(seedFor('runners'))
  const { directory, dataDir, database, seed } = await place()
  const environment_variables = { WHERE: directory }
  const id = await seed((yard) => yard.command({ shell: counting, environment_variables }))
  const runner = new RunnerProcess(dataDir, database.url)
  onTestFinished(() => runner.kill())
  const starts = () => readFile(join(directory, 'starts'), 'utf8').catch(() => '')

  await runner.start()
  await eventually('the program to run', starts, (text) => text !== '')
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(random.between(0, 900))
    await runner.kill()
    await runner.start()
  }
  await runner.kill()
  await writeFile(join(directory, 'go'), '') // it ends while no runner is there
  await eventually(
    'the program to be over',
    () => processesOf(dataDir),
    (left) => left.length === 0,
  )
  await runner.start()
  const seen = await eventually(
    'the step to be over',
    () => runner.see(id),
    ({ step }) => finalStatuses.includes(step.status),
  )

  expect(seen.step).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1, outputData: { count: lines } })
  expect(await starts()).toBe('start\n')
  expect(seen.log.split('\n').filter((line) => /^line \d+$/.test(line))).toEqual(counted)
  expect(seen.log.split('\n').filter((line) => line.startsWith('$ '))).toHaveLength(1)
  expect(seen.sequences).toEqual(seen.sequences.map((_, index) => index + 1))
})

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'a runner that was frozen for longer than its lease ends its program and writes nothing (needs PostgreSQL)',
  async () => {
    const { directory, database } = await place()
    const { db, close } = await openDatabase(database.location)
    const yard = await openYard(db)
    const shell =
      'echo "pid $$"; until [ -e "$WHERE/go" ] || ! [ -e "$WHERE" ]; do sleep 0.05; echo more; done; echo over'
    const id = await yard.command({ shell, environment_variables: { WHERE: directory } })
    const [frozen, other] = ['a', 'b'].map((name) => new RunnerProcess(join(directory, name), database.url))
    if (!frozen || !other) throw new Error('two runners are needed')
    onTestFinished(async () => {
      await Promise.all([frozen.kill(), other.kill()])
      await close()
    })
    await frozen.start()
    await eventually(
      'the program to run',
      () => yard.logOf(id),
      (log) => log.includes('more'),
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
    await writeFile(join(directory, 'go'), '')
    expect(await yard.untilOver(id)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 2 })
    const log = await yard.logOf(id)
    expect(log.match(/^over$/gm)).toHaveLength(1)
    expect(log.match(/^pid /gm)).toHaveLength(2)
    await yard[Symbol.asyncDispose]()
  },
)
