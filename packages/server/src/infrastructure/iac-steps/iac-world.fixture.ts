import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from '@sluice/contract/runner-protocol'
import { type Call, connectApi } from '@sluice/runner/api/call'
import { createBuildHandler } from '@sluice/runner/builds/build'
import { createDisabledLayerCache } from '@sluice/runner/builds/layer-cache'
import { createCommandHandler } from '@sluice/runner/command'
import { createIacHandler } from '@sluice/runner/iac/iac-handler'
import { createPluginCache } from '@sluice/runner/iac/plugin-cache'
import { createToolbox } from '@sluice/runner/iac/tool'
import { createNoIsolation } from '@sluice/runner/isolation/none'
import { type Runner, startRunner } from '@sluice/runner/runner'
import { createRepositories } from '@sluice/runner/sources/repositories'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { listChunks } from '../../pipelines/step-logs/store.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { releaseLocks } from '../../stacks/iac-states/locks.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { eventually } from '../../testing/eventually.ts'
import { type HttpWorldOptions, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import type { IacStepType } from './setup.ts'

type Json = Record<string, unknown>

const toolbox = createToolbox({ path: process.env.PATH ?? '' })

/** Returns why tests with the IaC tool cannot run on this machine, or undefined. */
export const missingToolReason = async (): Promise<string | undefined> => {
  const found = await toolbox.find({ tool: 'iac', version: undefined })
  return 'path' in found ? undefined : 'skipped: terraform'
}

/** Result of a step attempt. */
export type AttemptResult = { id: string; outcome: Outcome; log: string[]; progress: Json }

/** Step attempt in progress. */
export type RunningAttempt = {
  id: string
  ended: Promise<AttemptResult>
  kill(): Promise<void>
  log(): Promise<string[]>
}

type IacWorldWishes = HttpWorldOptions & {
  cliConfig?: string
  /** Wraps the runner's API calls. */
  callThrough?: (call: Call) => Call
}

/** Starts the API with an organization and a runner for IaC steps. */
export async function startIacWorld({ cliConfig, callThrough = (call) => call, ...wishes }: IacWorldWishes = {}) {
  const world = await startHttpWorld(undefined, { ...wishes, runnerPace: { lookMs: 20, heartbeatMs: 50 } })
  const { db, url } = world
  const directory = await mkdtemp(join(tmpdir(), 'sluice-iac-'))
  const owner = await seedOrganization(db)
  const { organizationId } = owner
  const projectId = newId('prj')
  await db.insert(projects).values({ id: projectId, organizationId, name: 'Shop', givenId: 'shop' })
  const repositories = createRepositories({
    directory: join(directory, 'repositories'),
    addresses: createNoIsolation([]),
  })
  const plugins = createPluginCache(join(directory, 'plugins'))
  let attempts = ''
  let runner: Runner | undefined

  /** Starts a runner with an empty working directory, like a new machine. */
  async function startMachine(): Promise<void> {
    attempts = join(directory, newId('rnr'))
    runner = await startRunner({
      call: callThrough(connectApi(url).call),
      handlers: {
        build: createBuildHandler(repositories, createNoIsolation([]), createDisabledLayerCache('none are asked for'), [
          '127.0.0.1',
        ]),
        command: createCommandHandler(repositories),
        iac: createIacHandler({ toolbox, repositories, apiUrl: url, rewriteUrl: String, plugins, cliConfig }),
      },
      log: { info: () => {}, warn: console.warn, error: console.error },
      runnerId: `rnr_${randomBytes(13).toString('hex')}`,
      token: world.runnerToken,
      version: 'test',
      isolation: { ...createNoIsolation(['these are tests']), checkTenancy: () => undefined },
      directory: attempts,
      sharedFolders: [join(directory, 'repositories'), join(directory, 'plugins')],
      labels: [],
      capacity: 4,
    })
  }
  await startMachine()

  /** Simulates a crash of the runner's machine, without orderly shutdown, and starts another runner. */
  async function loseMachine(): Promise<void> {
    const lost = attempts
    await runner?.stop() // the runner writes nothing more, but its processes continue
    for (const attempt of await readdir(lost).catch(() => [])) {
      for (const program of await readdir(join(lost, attempt, 'programs')).catch(() => [])) {
        const pid = Number(await readFile(join(lost, attempt, 'programs', program, 'pid'), 'utf8').catch(() => ''))
        if (pid > 0) killGroup(pid)
      }
    }
    await startMachine()
  }

  async function stack(): Promise<string> {
    const id = newId('stk')
    await db.insert(stacks).values({ id, organizationId, projectId, givenId: id.replace('_', '-'), name: 'Network' })
    return id
  }

  /** Creates a run to which steps can be added. */
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

  /** Returns the stack that a step names, or that of the plan that it applies. */
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

  const ready = { status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', queueMetadata: {} } as const

  /** Starts a step; with `again`, another attempt of a step whose runner was lost. */
  async function begin(runId: string, stepType: IacStepType, given: Json, again?: string): Promise<RunningAttempt> {
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
        ...ready,
        engineWorkflowId: id,
      })
    } else {
      await releaseLocks(db, organizationId, id)
      const lost = { ...ready, runnerId: null, leaseUntil: null }
      await db.update(pipelineStepExecutions).set(lost).where(eq(pipelineStepExecutions.id, id))
    }
    world.ready.tell()
    const stepOf = async () => {
      const [step] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
      return step
    }
    const epoch = ((await stepOf())?.attemptEpoch ?? 0) + (again === undefined ? 0 : 1)
    const log = async () => {
      const chunks = await listChunks(db, organizationId, id, { after: 0, limit: 10_000 })
      return chunks
        .filter((one) => again === undefined || one.attemptEpoch >= epoch)
        .flatMap(({ text }) => text.split('\n'))
    }
    const ended = (async () => {
      const step = await eventually(
        `${stepType} to be over`,
        stepOf,
        (one) => isOver.includes(one?.status ?? ''),
        110_000,
      )
      return { id, outcome: outcomeOf(step), log: await log(), progress: step?.statusDetail ?? {} }
    })()
    ended.catch(() => {})
    return { id, ended, kill: loseMachine, log }
  }

  return {
    ...world,
    directory,
    owner,
    organizationId,
    projectId,
    stack,
    run,
    begin,
    /** Runs a step to completion. */
    do: async (runId: string, stepType: IacStepType, given: Json): Promise<AttemptResult> =>
      (await begin(runId, stepType, given)).ended,
    async [Symbol.asyncDispose]() {
      await runner?.stop()
      await world[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type IacWorld = Awaited<ReturnType<typeof startIacWorld>>

const isOver: readonly string[] = ['SUCCESS', 'ERROR', 'CANCELLED']

type Step = typeof pipelineStepExecutions.$inferSelect

function outcomeOf(step: Step | undefined): Outcome {
  if (step?.status === 'SUCCESS') return { status: 'SUCCESS', ...(step.outputData && { output: step.outputData }) }
  if (step?.status === 'ERROR' && step.error) return { status: 'ERROR', error: step.error }
  return { status: 'CANCELLED' }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // the process has already ended
  }
}
