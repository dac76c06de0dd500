import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import type { Attempt, Command, Outcome, ProcessResult } from '../../pipelines/runner/work.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { releaseLocks } from '../../stacks/iac-states/locks.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { type HttpWorldWishes, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createRepositories } from '../adapter/repositories.ts'
import { createToolbox } from '../adapter/tool.ts'
import { sourceCredentials } from './credentials.ts'
import type { IacParts } from './parts.ts'
import type { IacStepType } from './setup.ts'
import { iacWorks } from './works.ts'

type Json = Record<string, unknown>

const toolbox = createToolbox({ path: process.env.PATH ?? '' })

/** Why the tests of the tool cannot run here; undefined where they can. */
export const whyNoTool = async (): Promise<string | undefined> => {
  const found = await toolbox.find({ tool: 'iac', version: undefined })
  return 'path' in found ? undefined : 'skipped: terraform'
}

/** What became of an attempt. */
export type Attempted = { id: string; outcome: Outcome; log: string[]; progress: Json[] }

/** An attempt that goes on. */
export type Going = { id: string; ended: Promise<Attempted>; kill(): void; log: string[] }

/** A server that keeps states, with an organization, and a runner as small as can be that does steps of the iac tool. */
export async function startIacWorld({ cliConfig, ...wishes }: HttpWorldWishes & { cliConfig?: string } = {}) {
  const world = await startHttpWorld(undefined, wishes)
  const { db, seal, stateTokens, cloud, url } = world
  const directory = await mkdtemp(join(tmpdir(), 'sluice-iac-'))
  const owner = await seedOrganization(db)
  const { organizationId } = owner
  const projectId = newId('prj')
  await db.insert(projects).values({ id: projectId, organizationId, name: 'Shop', givenId: 'shop' })
  const parts: IacParts = {
    db,
    seal,
    cloud,
    toolbox,
    repositories: createRepositories({
      directory: join(directory, 'repositories'),
      guard: async () => [],
      credentials: sourceCredentials(db, world.gitParts),
      alsoAllow: ['file'],
    }),
    stateTokens,
    apiUrl: Promise.resolve(url),
    pluginCache: join(directory, 'plugins'),
    cliConfig,
    cloudEndpoint: wishes.cloudEndpoint,
    clock: () => new Date(),
  }
  const works = iacWorks(parts)

  async function stack(): Promise<string> {
    const id = newId('stk')
    await db.insert(stacks).values({ id, organizationId, projectId, givenId: id.replace('_', '-'), name: 'Network' })
    return id
  }

  /** A run that steps are added to. */
  async function run(): Promise<string> {
    const [pipelineId, pipelineVersionId, id] = [newId('pl'), newId('plv'), newId('run')]
    const own = { organizationId }
    await db
      .insert(pipelines)
      .values({ id: pipelineId, ...own, projectId, givenId: id.replace('_', '-'), name: 'Release' })
    await db
      .insert(pipelineVersions)
      .values({ id: pipelineVersionId, ...own, pipelineId, version: 1, config: { steps: [] } })
    await db.insert(pipelineRuns).values({
      id,
      ...own,
      pipelineId,
      pipelineVersionId,
      inputs: {},
      status: 'IN_PROGRESS',
      triggerSource: 'API',
      triggeredBy: 'Ada',
    })
    return id
  }

  /** The stack that a step names, or that of the plan that it applies. */
  async function stackOf(runId: string, { stack_id: named }: Json): Promise<string | null> {
    if (typeof named === 'string') return named
    const before = and(eq(pipelineStepExecutions.pipelineRunId, runId), eq(pipelineStepExecutions.stepType, 'iac:plan'))
    const [plan] = await db.select().from(pipelineStepExecutions).where(before)
    return plan?.stackId ?? null
  }

  /** Adds a step to the configuration of a run. */
  async function configure(runId: string, step: Json): Promise<void> {
    const [row] = await db
      .select({ version: pipelineVersions })
      .from(pipelineRuns)
      .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
      .where(eq(pipelineRuns.id, runId))
    if (!row) throw new Error('there is no such run')
    const steps = [...(row.version.config.steps as Json[]), step]
    await db.update(pipelineVersions).set({ config: { steps } }).where(eq(pipelineVersions.id, row.version.id))
  }

  /** Begins a step; with `again` another attempt of one that was begun before. */
  async function begin(runId: string, stepType: IacStepType, given: Json, again?: string): Promise<Going> {
    const id = again ?? newId('step')
    if (again === undefined) {
      const position = await db.$count(pipelineStepExecutions, eq(pipelineStepExecutions.pipelineRunId, runId))
      const name = `${stepType.replace(':', '-')}-${position}`
      await configure(runId, { id: name, type: stepType, with: given })
      await db.insert(pipelineStepExecutions).values({
        id,
        organizationId,
        pipelineRunId: runId,
        position,
        stepId: name,
        stepName: name,
        stepType,
        stackId: await stackOf(runId, given),
        status: 'IN_PROGRESS',
        queueReason: 'READY',
        queueMetadata: {},
        attemptEpoch: 0,
        engineWorkflowId: id,
      })
    }
    const [before] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
    const epoch = (before?.attemptEpoch ?? 0) + 1
    const [step] = await db
      .update(pipelineStepExecutions)
      .set({ attemptEpoch: epoch })
      .where(eq(pipelineStepExecutions.id, id))
      .returning()
    const [row] = await db.select().from(pipelineRuns).where(eq(pipelineRuns.id, runId))
    if (!step || !row) throw new Error('there is no such step')
    const processes = new LocalProcesses(join(directory, 'attempts', `${id}-${epoch}`))
    await mkdir(processes.directory, { recursive: true })
    const over = new AbortController()
    const log: string[] = processes.log
    const progress: Json[] = []
    const attempt: Attempt = {
      run: row,
      step,
      projectId,
      with: given,
      epoch,
      directory: processes.directory,
      signal: processes.signal,
      over: over.signal,
      log: (line) => void log.push(line),
      lastLines: () => log.slice(-10),
      mask: (secret) => void processes.secrets.add(secret),
      showProgress: async (detail) => void progress.push(detail),
      process: (name, command) => processes.run(name, command),
    }
    const ended = (async () => {
      const outcome = await works[stepType](attempt).finally(() => over.abort())
      await db.transaction(async (tx) => {
        await releaseLocks(tx, organizationId, id)
        const status = outcome.status
        await tx.update(pipelineStepExecutions).set({ status }).where(eq(pipelineStepExecutions.id, id))
      })
      return { id, outcome, log, progress }
    })()
    ended.catch(() => {})
    return { id, ended, kill: () => processes.kill(), log }
  }

  return {
    ...world,
    directory,
    owner,
    organizationId,
    projectId,
    parts,
    stack,
    run,
    begin,
    /** Does a step to its end. */
    do: async (runId: string, stepType: IacStepType, given: Json): Promise<Attempted> =>
      (await begin(runId, stepType, given)).ended,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type IacWorld = Awaited<ReturnType<typeof startIacWorld>>

/** Real programs, each run once per name. */
class LocalProcesses {
  readonly directory: string
  readonly log: string[] = []
  readonly secrets = new Set<string>()
  readonly #abort = new AbortController()
  readonly #pids = new Set<number>()
  #isDead = false

  constructor(directory: string) {
    this.directory = directory
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** As if the machine went down: nothing ends in an orderly way, neither the programs nor whoever waits for them. */
  kill(): void {
    this.#isDead = true
    for (const pid of this.#pids) process.kill(-pid, 'SIGKILL')
  }

  async run(
    _name: string,
    { argv: [program, ...args], cwd = '.', env = {}, onLine, stdout }: Command,
  ): Promise<ProcessResult> {
    const base = { PATH: process.env.PATH ?? '', HOME: this.directory, TMPDIR: this.directory }
    const child = spawn(program, args, {
      cwd: cwd.startsWith('/') ? cwd : join(this.directory, cwd),
      env: { ...base, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { pid = 0 } = child
    this.#pids.add(pid)
    const ended = new Promise<ProcessResult>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exitCode, signal) => resolve(signal ? { signal } : { exitCode: exitCode ?? 1 }))
    })
    const take = (line: string) => {
      const shown = onLine ? onLine(line) : line
      if (shown !== undefined) this.log.push(this.#masked(shown))
    }
    createInterface(child.stderr).on('line', (line) => this.log.push(this.#masked(line)))
    if (stdout === undefined) createInterface(child.stdout).on('line', take)
    else await finished(child.stdout.pipe(createWriteStream(join(this.directory, stdout))))
    const result = await ended
    if (this.#isDead) return new Promise(() => {})
    this.#pids.delete(pid)
    return result
  }

  #masked(line: string): string {
    return [...this.secrets].reduce((text, secret) => text.replaceAll(secret, '***'), line)
  }
}
