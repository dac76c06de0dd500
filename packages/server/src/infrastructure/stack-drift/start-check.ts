import type { RunTriggerSource } from '@sluice/contract'
import type { Author } from '../../identity/audit-events/author.ts'
import { lockModuleInstance } from '../../modules/module-instances/store.ts'
import { startRun } from '../../pipelines/pipeline-runs/start.ts'
import { configOf } from '../../pipelines/pipeline-versions/config/steps.ts'
import { findLatestPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import { findPipeline } from '../../pipelines/pipelines/store.ts'
import type { PipelineRunRow } from '../../pipelines/pipelines/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { startInstanceRun } from '../instance-runs/start.ts'
import { instanceOfStack, updateDrift } from './store.ts'
import type { StackDriftRow } from './tables.ts'

/** Who requests a drift check, how, and when. */
export type DriftCheckRequest = {
  author: Author
  triggerSource: RunTriggerSource
  triggeredBy: string
  now: Date
}

/** Trigger payload that identifies the run of a drift check. */
const lookOf = (stackId: string) => ({ drift_of: stackId })

/** Returns the id of the stack that a run checks for drift, or undefined for other runs. */
export function checkedStackId({ trigger }: Pick<PipelineRunRow, 'trigger'>): string | undefined {
  const stackId = trigger?.payload?.drift_of
  return typeof stackId === 'string' ? stackId : undefined
}

/**
 * Starts the run of a drift check and records it. Returns the run ids to notify the engine of. Freezes and holds do not
 * block it, because it changes nothing. @throws {ApiError} stackNotAvailable, stackInvalid, moduleInputInvalid, and
 * errors of `startRun`
 */
export async function startDriftCheck(tx: Db, drift: StackDriftRow, order: DriftCheckRequest): Promise<string[]> {
  const runIds = drift.pipelineId === null ? await ofInstance(tx, drift, order) : await byPipeline(tx, drift, order)
  await updateDrift(tx, drift, { status: 'IN_PROGRESS', runId: runIds[0] ?? null, error: null, checkedAt: null })
  return runIds
}

const kindOf = ({ triggerSource }: DriftCheckRequest) => (triggerSource === 'SCHEDULE' ? 'schedule' : 'manual')

async function ofInstance(
  tx: Db,
  { organizationId, stackId }: StackDriftRow,
  order: DriftCheckRequest,
): Promise<string[]> {
  const id = await instanceOfStack(tx, organizationId, stackId)
  const instance = id === undefined ? undefined : await lockModuleInstance(tx, organizationId, id)
  if (!instance) throw noDriftCheckPipelineError(stackId)
  if (instance.appliedAt === null) throw nothingApplied(instance.givenId)
  const setOff = { kind: kindOf(order), variant: 'drift', input: {}, payload: lookOf(stackId) } as const
  const { runIds } = await startInstanceRun(tx, instance, 'change', { ...order, isAutoApproved: false, setOff })
  return runIds
}

async function byPipeline(
  tx: Db,
  { organizationId, stackId, pipelineId }: StackDriftRow,
  { now, ...order }: DriftCheckRequest,
): Promise<string[]> {
  const pipeline = await findPipeline(tx, organizationId, pipelineId ?? '')
  if (!pipeline) throw noDriftCheckPipelineError(stackId)
  const version = await findLatestPipelineVersion(tx, organizationId, pipeline.id)
  const { inputs = [], steps = [] } = version ? configOf(version) : {}
  if (steps.some(({ type }) => type !== 'iac:drift')) throw doesMore(pipeline.givenId)
  const asked = inputs.some(({ id }) => id === 'stack_id') ? { stack_id: stackId } : {}
  const trigger = { kind: kindOf({ now, ...order }), payload: lookOf(stackId) } as const
  const description = 'Look for drift'
  const run = await startRun(
    tx,
    { organizationId, pipeline, version, inputs: asked, description, trigger, ...order },
    now,
  )
  return [run.id, ...run.superseded]
}

export const noDriftCheckPipelineError = (stackId: string) =>
  new ApiError(
    'stackNotAvailable',
    `No module instance uses the stack ${stackId}, and its schedule names no pipeline.`,
    {
      description: 'Name a pipeline with steps of the type iac:drift, which looks: `pipelineId`.',
    },
  )

const nothingApplied = (givenId: string) =>
  new ApiError('stackNotAvailable', `The infrastructure of ${givenId} was never applied, so it cannot have drifted.`)

const doesMore = (givenId: string) =>
  new ApiError(
    'stackNotAvailable',
    `The pipeline ${givenId} has steps other than iac:drift. Choose a pipeline that only detects drift.`,
  )
