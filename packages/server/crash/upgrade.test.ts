import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, isDeploymentOver, isRunOver, type PipelineRun } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../src/platform/db/drizzle.ts'
import { type DatabaseLocation, openDatabase } from '../src/platform/db/open.ts'
import { query } from '../src/platform/engine/admin.ts'
import { Client } from '../src/testing/client.ts'
import { eventually } from '../src/testing/eventually.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { blueGreen, pausingBeforeShifts } from '../src/testing/strategies.ts'
import { type EarlierPeople, lastRelease, unpackVersion } from './earlier-version.ts'
import { expectEachEffectOnce } from './effects.ts'
import { type Installation, type Part, untilReady } from './installation.ts'
import { endsIn, follow, ownEndsOf, readContinuously } from './load.ts'
import { ProgramProcess } from './program-process.ts'
import { Progress, throwFirstError } from './progress.ts'
import { startInstallation } from './test-installation.ts'

/** Number of deployments and runs that must end before the next process is replaced. */
const enough = 3
const drainSeconds = 6
const ownRunner = createRequire(import.meta.url).resolve('@sluice/runner')

type People = EarlierPeople & { apiUrl: string }

/**
 * Upgrades from the last released version to this one, process by process, while users release and run pipelines; back
 * and forth again, if the old version starts on a later schema; and back to this version from a later one.
 */
test('an upgrade process by process under load fails no call, loses nothing and repeats nothing', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const directory = await mkdtemp(join(tmpdir(), 'sluice-earlier-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const earlier = await unpackVersion(await lastRelease(), directory)
  if (typeof earlier === 'string') return skip(`skipped: ${earlier}`)

  const runnerToken = randomBytes(24).toString('hex')
  const strategies = [null, pausingBeforeShifts(blueGreen), null]
  const installation = await startInstallation<People>({
    speed: 600,
    version: earlier.program,
    people: { elsewhere: async (place) => ({ ...(await earlier.settle(place, strategies)), apiUrl: place.apiUrl }) },
    env: { SLUICE_DRAIN_SECONDS: String(drainSeconds), SLUICE_RUNNER_TOKEN: runnerToken },
  })
  const { apis, workers, people, failures, cloud, database, engineAdmin } = installation
  const lines = join(directory, 'lines')
  const load = new Load(people, lines)
  const runners = [1, 2].map((nth) => runnerOf(join(directory, `runner-${nth}`), earlier.runner, people, runnerToken))
  onTestFinished(async () => {
    for (const one of runners) await one.kill()
  })
  for (const one of runners) one.start()
  const [api1, api2, worker1, worker2] = [...apis, ...workers] as [Part, Part, Part, Part]
  try {
    await load.goesOn('with the version before')
    await (await openDatabase(database)).close() // like `sluice migrate`
    await load.goesOn('with the version before on the present schema')
    for (const part of [worker1, api1]) await replace(part)
    await load.goesOn('with both versions beside each other')
    for (const part of [worker2, api2]) await replace(part)
    await load.goesOn('with this version, and runners of the one before')
    for (const one of runners) {
      await one.stop()
      one.program.args = [ownRunner]
      one.start()
      await load.goesOn('while runners are replaced')
    }
    if (earlier.livesWithLater) {
      for (const part of [worker1, api1]) await replace(part, earlier.program)
      await load.goesOn('with the version before beside this one, which was there first')
      for (const part of [worker1, api1]) await replace(part)
    }
    await migrateFurther(database)
    for (const part of [worker1, api1]) await replace(part)
    await load.goesOn('back from a later version, whose schema stays')
  } finally {
    await load.end()
  }
  expect(failures).toEqual([])
  throwFirstError(load.faults)
  const deployments = await load.client.all<Deployment>('/deployments')
  expect(deployments.map(({ id }) => id).toSorted(), 'all that was released, once').toEqual(load.released.toSorted())
  expect(deployments.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
  const runs = await load.client.all<PipelineRun>('/pipeline-runs')
  expect(runs.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
    load.ran.map((id) => `${id} SUCCESS`).toSorted(),
  )
  expect([...ownEndsOf(installation), ...runners.flatMap(({ ownEnds }) => ownEnds)]).toEqual([])
  const written = (await readFile(lines, 'utf8')).trim().split('\n')
  expect(written.toSorted(), 'what programs wrote, each once').toEqual(load.toWrite.toSorted())
  await expectEachEffectOnce(cloud, deployments)
  expect(endsIn(await logOf(installation)), 'ends in the log, each once').toEqual(load.released.toSorted())
  const working = `select target from sys_invocation where status in ('running', 'backing-off', 'ready', 'pending')`
  await eventually(
    'the engine to have finished all',
    () => query(engineAdmin, working),
    (left) => left.length === 0,
  )
})

/** Users who release, run pipelines, read and follow changes until they are stopped. */
class Load {
  readonly client: Client
  readonly released: string[] = []
  readonly ran: string[] = []
  /** Lines that programs must write. */
  readonly toWrite: string[] = []
  readonly faults: unknown[] = []
  readonly #pipelines: Pipelines
  readonly #over = new AbortController()
  readonly #work: Promise<unknown>
  #ended = 0

  constructor({ apiUrl, token, projectId, moduleInstanceIds }: People, lines: string) {
    this.client = new Client(apiUrl, token)
    this.#pipelines = new Pipelines(this.client, projectId)
    const [plain = '', paused = '', ofRuns = ''] = moduleInstanceIds
    const { signal } = this.#over
    const works = [
      this.#release(plain),
      this.#release(paused),
      this.#run(ofRuns),
      this.#command(lines),
      follow(apiUrl, this.client, signal),
      readContinuously(this.client, signal),
    ]
    const noteFault = (fault: unknown) => {
      this.faults.push(fault)
      this.#over.abort()
    }
    this.#work = Promise.all(works.map((work) => work.catch(noteFault)))
  }

  /** Resolves when enough work of each type has started and ended. */
  async goesOn(how: string): Promise<void> {
    const before = this.#ended
    const isEnough = () => this.#ended >= before + enough || this.#over.signal.aborted
    await eventually(`work to go on ${how}`, async () => isEnough(), Boolean, 90_000)
  }

  /** Stops the users and waits for their work. */
  async end(): Promise<void> {
    this.#over.abort()
    await this.#work
  }

  async #release(moduleInstanceId: string): Promise<void> {
    for (let version = 2; !this.#over.signal.aborted; version += 1) {
      const data = { moduleInstanceId, description: `Version ${version}`, inputs: { image_ref: `shop/app:${version}` } }
      const { id } = await this.client.done<Deployment>('POST', '/deployments', { data })
      this.released.push(id)
      await this.#seeThrough(id)
      this.#ended += 1
    }
  }

  /** Continues a paused deployment, and waits for its end. */
  async #seeThrough(id: string): Promise<void> {
    const continued = new Set<string>()
    const progress = new Progress(`the end of ${id}`)
    for (;;) {
      const { status, data } = await this.client.done<Deployment>('GET', `/deployments/${id}`)
      if (isDeploymentOver(status)) return
      progress.observe([status, data?.events])
      const pause = data?.events?.findLast(({ stepCode }) => stepCode === 'PAUSED')?.hookId
      if (pause && !continued.has(pause)) {
        continued.add(pause)
        await this.client.done('POST', `/deployments/${id}/continue`, { data: { hookId: pause } })
      }
      await sleep(100) // speed of a person
    }
  }

  /** Repeats runs with a program that takes a second and writes a line into a file. */
  async #command(file: string): Promise<void> {
    const shell = `sleep 1; echo "$LINE" >>"$LINES"`
    const given = { shell, environment_variables: { LINES: file, LINE: '<< inputs.line >>' } }
    const pipeline = await this.#pipelines.create({
      inputs: [{ id: 'line', type: 'string' }],
      steps: [{ id: 'program', type: 'command', with: given }],
    })
    for (let nth = 1; !this.#over.signal.aborted; nth += 1) {
      const line = `line ${nth}`
      const { id } = await this.#pipelines.start(pipeline.id, { line })
      this.ran.push(id)
      this.toWrite.push(line)
      await this.#succeeded(id)
    }
  }

  /** Repeats runs with an approval and a release. */
  async #run(moduleInstanceId: string): Promise<void> {
    const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:5' } }
    const gate = { id: 'gate', type: 'approval' }
    const pipeline = await this.#pipelines.create({ steps: [gate, { id: 'release', type: 'deploy', with: release }] })
    while (!this.#over.signal.aborted) {
      const { id } = await this.#pipelines.start(pipeline.id)
      this.ran.push(id)
      await this.#pipelines.until(id, 'PENDING_APPROVAL')
      const { id: stepId } = await this.#pipelines.step(id, 'gate')
      await this.client.done('POST', `/pipeline-step-executions/${stepId}/approve`)
      await this.#succeeded(id)
      const released = await this.client.done<Deployment[]>('GET', `/deployments?pipelineRunId=${id}&limit=10`)
      this.released.push(...released.map((one) => one.id))
      if (released.length !== 1) throw new Error(`the run ${id} released ${released.length} times`)
    }
  }

  async #succeeded(id: string): Promise<void> {
    const { status } = await eventually(
      `${id} to be over`,
      () => this.#pipelines.get(id),
      (run) => isRunOver(run.status),
    )
    if (status !== 'SUCCESS') throw new Error(`the run ${id} is ${status}`)
    this.#ended += 1
  }
}

/** Stops a process gracefully, and starts it again as another version. */
async function replace(part: Part, version?: string): Promise<void> {
  await part.process.stop()
  part.process.becomes(version)
  part.process.start()
  await untilReady(part)
}

function runnerOf(directory: string, program: string, { apiUrl }: People, token: string): ProgramProcess {
  const env = { SLUICE_URL: apiUrl, SLUICE_RUNNER_TOKEN: token, SLUICE_RUNNER_ISOLATION: 'none' }
  return new ProgramProcess({
    command: process.execPath,
    args: [program],
    logFile: `${directory}.log`,
    env: { ...env, SLUICE_RUNNER_DIR: directory },
  })
}

/** Applies a migration like that of a next version: it adds something, and keeps what this version needs. */
async function migrateFurther(database: DatabaseLocation): Promise<void> {
  const { db, close } = await openDatabase(database)
  await db.execute(sql`alter table deployments add column of_the_next_version text`)
  await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'of the next version', max(created_at) + 86400000 from drizzle.__drizzle_migrations`)
  await close()
}

const logOf = async ({ apis, workers }: Installation<People>): Promise<string> =>
  (await Promise.all([...apis, ...workers].map(({ process }) => readFile(process.logFile, 'utf8')))).join('')
