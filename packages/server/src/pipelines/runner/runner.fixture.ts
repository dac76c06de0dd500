import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { organizations } from '../../identity/organizations/tables.ts'
import { createSeal } from '../../platform/crypto/seal.ts'
import { eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { connectEngine } from '../../platform/engine/client.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { eventually } from '../../testing/eventually.ts'
import {
  type PipelineStepExecutionRow,
  pipelineRuns,
  pipelineStepExecutions,
  pipelines,
  pipelineVersions,
} from '../pipelines/tables.ts'
import { Bell } from '../step-logs/bell.ts'
import { listChunks } from '../step-logs/store.ts'
import { type CheckOut, commandWork } from './command.ts'
import { type RunnerParts, startRunner } from './runner.ts'

export const finalStatuses: readonly string[] = ['SUCCESS', 'ERROR', 'CANCELLED']

/** Nothing listens on the discard port: what is told to the engine is lost, as it may be, and the rows say all. */
const noEngine = connectEngine({ url: 'http://127.0.0.1:9' })

const noSources: CheckOut = async () => {
  throw new Error('this test has no sources')
}

/** A place for runners on a database: steps are put there ready, as a run leaves them to the runners. */
export async function openYard(db: Db) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runner-'))
  const organizationId = newId('org')
  const projectId = newId('prj')
  const own = { organizationId }
  const named = () => ({ name: 'One', givenId: `one-${randomBytes(8).toString('hex')}` })
  await db.insert(organizations).values({ id: organizationId, ...named() })
  await db.insert(projects).values({ id: projectId, ...own, ...named() })

  const stepOf = async (id: string): Promise<PipelineStepExecutionRow> => {
    const [row] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
    if (!row) throw new Error(`there is no step ${id}`)
    return row
  }

  return {
    directory,
    organizationId,
    projectId,
    stepOf,
    /** What a runner needs; `more` says what is different. */
    parts: (more: Partial<RunnerParts> = {}): RunnerParts => ({
      db,
      engine: noEngine,
      seal: createSeal(randomBytes(32)),
      clock: () => new Date(),
      log: pino({ level: 'silent' }),
      bell: new Bell(),
      works: { command: commandWork(noSources) },
      runnerId: newId('rnr'),
      directory: join(directory, newId('rnr')),
      capacity: 4,
      pace: { lookMs: 20, heartbeatMs: 200, leaseMs: 30_000 },
      stopPace: { afterIntMs: 300, afterTermMs: 300 },
      ...more,
    }),
    /** A run of one command, ready for a runner. */
    async command(
      given: Record<string, unknown>,
      { step = {} }: { step?: Partial<PipelineStepExecutionRow> } = {},
    ): Promise<string> {
      const id = newId('step')
      const pipelineId = newId('pl')
      const pipelineVersionId = newId('plv')
      const pipelineRunId = newId('run')
      const steps = [{ id: 'a', type: 'command', with: given }]
      await db.insert(pipelines).values({ id: pipelineId, ...own, ...named(), projectId, latestVersion: 1 })
      await db
        .insert(pipelineVersions)
        .values({ id: pipelineVersionId, ...own, pipelineId, version: 1, config: { steps } })
      const run = { inputs: {}, status: 'IN_PROGRESS', triggerSource: 'API', triggeredBy: 'Ada' } as const
      await db.insert(pipelineRuns).values({ id: pipelineRunId, ...own, pipelineId, pipelineVersionId, ...run })
      const ready = { status: 'QUEUED', queueReason: 'RUNNER_CAPACITY', queueMetadata: {} } as const
      const name = { stepId: 'a', stepName: 'a', stepType: 'command', engineWorkflowId: id }
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
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

export type Yard = Awaited<ReturnType<typeof openYard>>

/** A runner that stops at the end of its block. */
export async function runnerOf(parts: RunnerParts) {
  const runner = await startRunner(parts)
  return Object.assign(runner, { [Symbol.asyncDispose]: () => runner.stop() })
}
