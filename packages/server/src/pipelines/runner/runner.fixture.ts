import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectApi } from '@sluice/runner/api/call'
import type { OrderHandlers } from '@sluice/runner/attempt'
import { createBuildHandler } from '@sluice/runner/builds/build'
import { createDisabledLayerCache } from '@sluice/runner/builds/layer-cache'
import { createCommandHandler } from '@sluice/runner/command'
import { createNoIsolation } from '@sluice/runner/isolation/none'
import { type RunnerParts, startRunner } from '@sluice/runner/runner'
import { createRepositories } from '@sluice/runner/sources/repositories'
import { organizations } from '../../identity/organizations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { eventually } from '../../testing/eventually.ts'
import { type HttpWorldOptions, startHttpWorld } from '../../testing/http-world.ts'
import {
  type PipelineStepExecutionRow,
  pipelineRuns,
  pipelineStepExecutions,
  pipelines,
  pipelineVersions,
} from '../pipelines/tables.ts'
import { listChunks } from '../step-logs/store.ts'

export const finalStatuses: readonly string[] = ['SUCCESS', 'ERROR', 'CANCELLED']

const noIac: OrderHandlers['iac'] = async () => {
  throw new Error('the tests of runners do without the iac tool')
}

/** Starts an API for runners without a scheduler: steps are inserted in the state in which a run dispatches them. */
export async function startRunnerTestApi({ runnerPace, ...wishes }: HttpWorldOptions = {}) {
  const quick = { lookMs: 20, heartbeatMs: 50, leaseMs: 6_000, ...runnerPace }
  const world = await startHttpWorld(undefined, { runnerPace: quick, ...wishes })
  const { db } = world
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runner-'))
  const named = () => ({ name: 'One', givenId: `one-${randomBytes(8).toString('hex')}` })
  /** Creates an organization with a project. */
  async function organization() {
    const [organizationId, projectId] = [newId('org'), newId('prj')]
    await db.insert(organizations).values({ id: organizationId, ...named() })
    await db.insert(projects).values({ id: projectId, organizationId, ...named() })
    return { organizationId, projectId }
  }
  const first = await organization()
  const { organizationId, projectId } = first

  const stepOf = async (id: string): Promise<PipelineStepExecutionRow> => {
    const [row] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
    if (!row) throw new Error(`there is no step ${id}`)
    return row
  }

  return {
    ...world,
    directory,
    organizationId,
    projectId,
    organization,
    stepOf,
    /** Returns the settings of a runner, with changes. */
    parts(more: Partial<RunnerParts> = {}): RunnerParts {
      const repositories = createRepositories({
        directory: join(directory, 'repositories'),
        addresses: createNoIsolation([]),
      })
      return {
        call: connectApi(world.url).call,
        handlers: {
          build: createBuildHandler(
            repositories,
            createNoIsolation([]),
            createDisabledLayerCache('none are asked for'),
            ['127.0.0.1'],
          ),
          command: createCommandHandler(repositories),
          iac: noIac,
        },
        log: { info: () => {}, warn: () => {}, error: console.error },
        runnerId: `rnr_${randomBytes(13).toString('hex')}`,
        token: world.runnerToken,
        version: 'test',
        isolation: { ...createNoIsolation(['these are tests']), checkTenancy: () => undefined },
        directory: join(directory, newId('rnr')),
        sharedFolders: [join(directory, 'repositories')],
        capacity: 4,
        labels: [],
        stopTimeouts: { afterIntMs: 300, afterTermMs: 300 },
        ...more,
      }
    },
    /** Inserts a run with one step that is ready for a runner: a command, or a step of another type. */
    async command(
      given: Record<string, unknown>,
      {
        step = {},
        organization: whose = first,
      }: { step?: Partial<PipelineStepExecutionRow>; organization?: typeof first } = {},
    ): Promise<string> {
      const { projectId, organizationId } = whose
      const own = { organizationId }
      const id = newId('step')
      const pipelineId = newId('pl')
      const pipelineVersionId = newId('plv')
      const pipelineRunId = newId('run')
      const { stepType = 'command' } = step
      const steps = [{ id: 'a', type: stepType, with: given }]
      await db.insert(pipelines).values({ id: pipelineId, ...own, ...named(), projectId, latestVersion: 1 })
      await db
        .insert(pipelineVersions)
        .values({ id: pipelineVersionId, ...own, pipelineId, version: 1, config: { steps } })
      const run = { inputs: {}, status: 'IN_PROGRESS', triggerSource: 'API', triggeredBy: 'Ada' } as const
      await db.insert(pipelineRuns).values({ id: pipelineRunId, ...own, pipelineId, pipelineVersionId, ...run })
      const ready = { status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', queueMetadata: {} } as const
      const name = { stepId: 'a', stepName: 'a', stepType, engineWorkflowId: id }
      await db.insert(pipelineStepExecutions).values({ id, ...own, pipelineRunId, ...name, ...ready, ...step })
      return id
    },
    untilOver: (id: string, withinMs?: number) =>
      eventually(
        `${id} to be over`,
        () => stepOf(id),
        ({ status }) => finalStatuses.includes(status),
        withinMs,
      ),
    untilBegun: (id: string) =>
      eventually(
        `${id} to be under way`,
        () => stepOf(id),
        ({ status }) => status === 'IN_PROGRESS',
      ),
    logOf: async (id: string): Promise<string> => {
      const chunks = await listChunks(db, organizationId, id, { after: 0, limit: 10_000 })
      return chunks.map(({ text }) => text).join('')
    },
    cancel: async (id: string) => {
      const { pipelineRunId } = await stepOf(id)
      const at = new Date()
      const error = { code: 'Sluice:PipelineRuns:CANCELLED', message: 'Ada cancelled the run.' }
      const cancelRequest = { by: 'Ada', at: at.toISOString(), error }
      await db.update(pipelineRuns).set({ cancelRequest }).where(eq(pipelineRuns.id, pipelineRunId))
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type RunnerTestApi = Awaited<ReturnType<typeof startRunnerTestApi>>

/** Starts a runner that stops at the end of the caller's block. */
export async function runnerOf(parts: RunnerParts) {
  const runner = await startRunner(parts)
  return Object.assign(runner, { [Symbol.asyncDispose]: () => runner.stop() })
}
