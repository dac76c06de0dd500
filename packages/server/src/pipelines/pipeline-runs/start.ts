import { failures, type RunTriggerSource } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { listed } from '../../platform/http/listed.ts'
import { newId } from '../../platform/ids.ts'
import { present } from '../../platform/present.ts'
import { findProject } from '../../projects/projects/store.ts'
import { executionEnvironmentsOf } from '../execution-assignments/places.ts'
import { resolveInputs } from '../pipeline-versions/config/inputs.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { findLatestPipelineVersion } from '../pipeline-versions/store.ts'
import type { PipelineRow, PipelineRunRow, PipelineVersionRow, RunTrigger } from '../pipelines/tables.ts'
import { environmentOf, rootsOfRun, textOf } from './context.ts'
import { isForRunners, maxChainLength } from './machine.ts'
import { rejectInProduction } from './of-preview.ts'
import { plannedSteps } from './plan.ts'
import {
  findRunOfStep,
  insertPipelineRun,
  lockGroup,
  type NewPipelineRun,
  type NewStepExecution,
  supersedeGroup,
  unfinishedOfGroup,
} from './store.ts'

const resourceType = 'pipeline-run'

type Json = Record<string, unknown>

/** Request to start a run. */
export type RunRequest = {
  organizationId: string
  pipeline: PipelineRow
  /** Pipeline version; the latest one if absent. */
  version?: PipelineVersionRow | undefined
  inputs: Json
  description?: string | undefined
  trigger: RunTrigger
  /** Author of the start in the audit log. */
  author: Author
  triggerSource: RunTriggerSource
  /** Display name of the user or trigger that started it. */
  triggeredBy: string
  /** Id of the step that starts the run as a child of its own run. */
  parentStepExecutionId?: string
  /** Id of the module instance whose infrastructure the run changes. */
  moduleInstanceId?: string
  /** Execution environment from the inputs of that instance. */
  executionEnvironmentId?: string | undefined
  isAutoApproved?: boolean
  /** Principal whose permissions the run has, if that is not the author. */
  actsFor?: string | null
  /** Run that this one retries, and the function that adapts the steps. */
  retry?: { of: string; reason: string | undefined; steps: (planned: NewStepExecution[]) => NewStepExecution[] }
}

/** Stored run, with the ids of the runs that are cancelled to make room. The caller sends messages for all of them. */
export type StartedRun = PipelineRunRow & { superseded: string[] }

/** Time after which an inactive run times out, in milliseconds. */
const inactivityTimeoutMs = 30 * 86_400_000

/**
 * Validates and stores a run with its queued steps. All runs start here. The caller sends the message to the engine
 * after the commit; otherwise the reconciler finds the run.
 * @throws {ApiError} pipelineHasNoVersion, runInputInvalid, runTemplateFailed, runPlaceUnknown, runGroupBusy,
 * runChainTooLong, previewInProduction
 */
export async function startRun(tx: Db, wish: RunRequest, now: Date): Promise<StartedRun> {
  const { organizationId, pipeline, trigger } = wish
  const version = wish.version ?? (await latestVersion(tx, pipeline))
  const config = configOf(version)
  const resolved = resolveInputs(config.inputs ?? [], wish.inputs, '$.data.inputs')
  if ('faults' in resolved) throw inputsInvalid(pipeline, resolved.faults)
  const parents = await parentsOf(tx, wish)
  const chain = trigger.chain ?? (parents[0] ? chainOf(parents[0]) + 1 : 0)
  if (chain > maxChainLength) throw chainTooLong(pipeline)

  const run = {
    id: newId('run'),
    organizationId,
    pipelineId: pipeline.id,
    pipelineVersionId: version.id,
    description: wish.description,
    inputs: resolved.values,
    status: 'QUEUED',
    triggerSource: wish.triggerSource,
    triggeredBy: wish.triggeredBy,
    trigger: { ...trigger, chain },
    parentStepExecutionId: wish.parentStepExecutionId,
    retryOf: wish.retry?.of,
    moduleInstanceId: wish.moduleInstanceId,
    isAutoApproved: wish.isAutoApproved ?? false,
    actsFor: wish.actsFor === undefined ? principalOf(wish.author) : wish.actsFor,
    wakeAt: now,
    deadlineAt: new Date(now.getTime() + inactivityTimeoutMs),
    waitingFor: 'its turn',
  } satisfies NewPipelineRun
  const { projectId } = pipeline
  const { moduleInstanceId, executionEnvironmentId } = wish
  const programs = config.steps.filter(({ type }) => isForRunners(type))
  const places = await executionEnvironmentsOf(
    tx,
    { organizationId, projectId, moduleInstanceId, executionEnvironmentId },
    programs,
  )
  if (places.size > 0) await rejectInProduction(tx, run, [...new Set(places.values())])
  const { concurrency } = config
  const concurrencyGroup = concurrency && (await renderGroup(tx, pipeline, run, concurrency.group))
  const superseded = concurrencyGroup
    ? await makeRoom(tx, { ...run, concurrencyGroup }, concurrency?.policy ?? 'queue', parents, now)
    : []
  const planned = plannedSteps(run, version, places)
  const row = await insertPipelineRun(tx, { ...run, concurrencyGroup }, wish.retry?.steps(planned) ?? planned)
  await recordStart(tx, wish, row, superseded)
  return { ...row, superseded }
}

/** Returns the member or service account whose permissions apply; null for a trigger, which has none of its own. */
const principalOf = ({ actorType, actorId }: Author): string | null =>
  actorType === 'MEMBERSHIP' || actorType === 'SERVICE_ACCOUNT' ? actorId : null

/** Records the start in the audit log. Includes only the names of inputs, which may contain secrets. */
async function recordStart(
  tx: Db,
  { author, description, retry }: RunRequest,
  run: PipelineRunRow,
  superseded: string[],
) {
  const { id, pipelineId, pipelineVersionId, triggeredBy } = run
  const inputs = Object.keys(run.inputs)
  const ofRetry = { retryOf: retry?.of, reason: retry?.reason }
  const details = present({ pipelineId, pipelineVersionId, description, inputs, triggeredBy, ...ofRetry })
  await recordChange(tx, author, { action: 'pipeline-runs.create', resourceType, resourceId: id, details })
  for (const resourceId of superseded) {
    const change = { action: 'pipeline-runs.supersede', resourceType, resourceId }
    await recordChange(tx, author, { ...change, details: { supersededByRunId: id, supersededBy: triggeredBy } })
  }
}

async function latestVersion(tx: Db, { organizationId, id, givenId }: PipelineRow): Promise<PipelineVersionRow> {
  const latest = await findLatestPipelineVersion(tx, organizationId, id)
  if (latest) return latest
  throw new ApiError('pipelineHasNoVersion', `The pipeline ${givenId} has no version yet. Create one.`)
}

const chainOf = ({ trigger }: PipelineRunRow): number => trigger?.chain ?? 0

/** Returns the ancestors of the run, nearest first. */
async function parentsOf(tx: Db, { organizationId, parentStepExecutionId }: RunRequest): Promise<PipelineRunRow[]> {
  const parents: PipelineRunRow[] = []
  let stepId: string | null | undefined = parentStepExecutionId
  while (stepId && parents.length <= maxChainLength) {
    const parent: PipelineRunRow | undefined = await findRunOfStep(tx, organizationId, stepId)
    if (!parent) break
    parents.push(parent)
    stepId = parent.parentStepExecutionId
  }
  return parents
}

type Unstored = Parameters<typeof rootsOfRun>[0]['run'] & {
  organizationId: string
  moduleInstanceId?: string | undefined
}

/** Renders the name of the concurrency group; an empty name means no group. */
async function renderGroup(tx: Db, pipeline: PipelineRow, run: Unstored, group: string): Promise<string | undefined> {
  const { organizationId, projectId } = pipeline
  const project = await findProject(tx, organizationId, projectId)
  if (!project) throw new Error(`the project of the pipeline ${pipeline.id} is gone`)
  const environment = await environmentOf(tx, run)
  try {
    return textOf(render(group, rootsOfRun({ run, pipeline, project, environment }), 'concurrency.group')) || undefined
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new ApiError('runTemplateFailed', `The concurrency group of the pipeline ${pipeline.givenId} has no value.`, {
      details: [
        { title: 'Config', render: 'list', items: error.faults.map(({ path, message }) => `${path}: ${message}`) },
      ],
    })
  }
}

type Grouped = NewPipelineRun & { concurrencyGroup: string }

/** Applies the policy of the concurrency group to its unfinished runs. Returns the ids of the runs that must end. */
async function makeRoom(
  tx: Db,
  run: Grouped,
  policy: 'queue' | 'cancel_previous' | 'reject',
  parents: PipelineRunRow[],
  now: Date,
): Promise<string[]> {
  const { organizationId, concurrencyGroup: group } = run
  const parent = parents.find((one) => one.concurrencyGroup === group)
  if (parent) {
    throw groupBusy(
      `The run ${parent.id} waits for this one, and both are in the concurrency group ${group}.`,
      parent.id,
    )
  }
  if (policy === 'queue') return []
  // The lock makes the second of two concurrent runs see the first.
  await lockGroup(tx, organizationId, group)
  if (policy === 'reject') {
    const [other] = await unfinishedOfGroup(tx, organizationId, group)
    if (other) throw groupBusy(`The run ${other} of the concurrency group ${group} is not over yet.`, other)
    return []
  }
  const error = {
    code: failures.runSuperseded.code,
    message: `The run ${run.id} of the concurrency group ${group}, set off by ${run.triggeredBy}, took its place.`,
    metadata: { pipelineRunId: run.id, supersededBy: run.triggeredBy },
  }
  return supersedeGroup(tx, organizationId, group, { by: run.triggeredBy, at: now.toISOString(), error }, now)
}

const groupBusy = (message: string, runId: string) =>
  new ApiError('runGroupBusy', message, { metadata: { pipelineRunId: runId } })

const inputsInvalid = ({ givenId }: PipelineRow, items: string[]) =>
  new ApiError(
    'runInputInvalid',
    `The pipeline ${givenId} cannot run with these inputs. See the details for all errors.`,
    {
      details: listed('Inputs', items),
    },
  )

const chainTooLong = ({ givenId }: PipelineRow) =>
  new ApiError(
    'runChainTooLong',
    `The pipeline ${givenId} would be the ${maxChainLength + 1}th in a chain of pipelines that start each other. Check for a cycle.`,
  )
