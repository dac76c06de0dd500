import { enforcedRequirements } from '../../gates/approvals.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { isTaken } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { moveFeedbackToRetry } from '../git-feedback/store.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { stepsOf } from '../pipeline-versions/config/steps.ts'
import { findPipelineVersion } from '../pipeline-versions/store.ts'
import { lockPipelineShared } from '../pipelines/store.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { requiredApprovalsOfStep } from '../step-approvals/required.ts'
import { retriedSteps } from './plan.ts'
import { type RunRequest, type StartedRun, startRun } from './start.ts'
import { findPipelineRun, findRetryOf, stepsOfRun } from './store.ts'
import { approvalsBefore, skipFaults, stepsToTakeOver } from './take-over.ts'

const resourceType = 'pipeline-run'

/** Request to retry a run. */
export type RetryRequest = Pick<RunRequest, 'author' | 'triggerSource' | 'triggeredBy'> & {
  /** Ids of steps that the retry skips. */
  skip?: readonly string[] | undefined
  reason?: string | undefined
}

/** Execution environment of the retry, if the module instance sets it. */
type Place = Pick<RunRequest, 'executionEnvironmentId'>

/**
 * Retries a run of a module instance by calling `start`, and records it in the instance. Implemented by a higher layer.
 * @throws {ApiError} pipelineRunOutdated, moduleInstanceDestroyed
 */
export type RetryOfInstance = (
  tx: Db,
  run: PipelineRunRow,
  start: (place: Place) => Promise<StartedRun>,
) => Promise<StartedRun>

/**
 * Starts a new run of the same version and inputs, which takes over the successful steps of a failed or cancelled run.
 * It is subject to the same groups, limits and permissions as every run.
 * @throws {ApiError} pipelineRunNotFound, pipelineRunNotRetriable, pipelineRunRetried, stepNotSkippable, and the errors
 * of `startRun` and `ofInstance`
 */
export async function retryRun(
  tx: Db,
  organizationId: string,
  id: string,
  wish: RetryRequest,
  { ofInstance, now }: { ofInstance: RetryOfInstance; now: Date },
): Promise<StartedRun> {
  const run = await findPipelineRun(tx, organizationId, id)
  const version = run && (await findPipelineVersion(tx, organizationId, run.pipelineVersionId))
  if (!version) throw notFound(id)
  if (run.status !== 'ERROR' && run.status !== 'CANCELLED') throw notRetriable(run)
  const other = await findRetryOf(tx, organizationId, id)
  if (other) throw retriedAlready(run, other)

  const ended = new Map((await stepsOfRun(tx).execute({ organizationId, id })).map((step) => [step.stepId, step]))
  const steps = stepsOf(version.config)
  const taken = stepsToTakeOver(steps, ended)
  for (const guarded of await guardedApprovals(tx, { steps, taken, ended, now })) taken.delete(guarded)
  const skip = requestedSkips(run, steps, taken, wish, now)
  const started = await ofInstance(tx, run, async (place) => {
    const pipeline = await lockPipelineShared(tx, organizationId, run.pipelineId)
    if (!pipeline) throw notFound(id)
    const { author, triggerSource, triggeredBy, reason } = wish
    const again: RunRequest = {
      organizationId,
      pipeline,
      version,
      inputs: run.inputs,
      description: run.description ?? undefined,
      trigger: run.trigger ?? { kind: 'manual' },
      author,
      triggerSource,
      triggeredBy,
      ...(run.moduleInstanceId !== null && { moduleInstanceId: run.moduleInstanceId }),
      ...place,
      retry: { of: id, reason, steps: (planned) => retriedSteps(planned, ended, { taken, skip }) },
    }
    return startRun(tx, again, now)
  })
  await moveFeedbackToRetry(tx, { organizationId, from: id, to: started.id, now })
  await recordRetry(tx, wish, run, started, taken)
  return started
}

type Again = {
  steps: readonly StepConfig[]
  taken: ReadonlySet<string>
  ended: ReadonlyMap<string, PipelineStepExecutionRow>
  now: Date
}

/**
 * Returns the decided approval steps that a retry must request again, because an approval rule applies to them. The
 * rule may require more by now, and the user who retries counts as the starter.
 */
async function guardedApprovals(tx: Db, { steps, taken, ended, now }: Again): Promise<string[]> {
  const decided = approvalsBefore(steps, taken).flatMap((id) => ended.get(id) ?? [])
  const guarded: string[] = []
  for (const step of decided) {
    const asked = await requiredApprovalsOfStep(tx, step, { now })
    if (asked && enforcedRequirements(asked).length > 0) guarded.push(step.stepId)
  }
  return guarded
}

/** Returns the steps to skip and who skips them; undefined if there are none. */
function requestedSkips(
  run: PipelineRunRow,
  steps: readonly StepConfig[],
  taken: ReadonlySet<string>,
  { skip = [], reason, triggeredBy }: RetryRequest,
  now: Date,
) {
  if (skip.length === 0) return undefined
  if (reason === undefined) throw bodyInvalid(['$.data.reason: expected a text that says why steps are skipped'])
  const faults = skipFaults(steps, taken, skip)
  if (faults.length > 0) throw notSkippable(run, faults)
  return { steps: skip, by: { by: triggeredBy, at: now.toISOString(), reason } }
}

async function recordRetry(
  tx: Db,
  { author, skip = [], reason }: RetryRequest,
  run: PipelineRunRow,
  { id }: StartedRun,
  taken: ReadonlySet<string>,
): Promise<void> {
  const retried = { action: 'pipeline-runs.retry', resourceType, resourceId: run.id }
  const details = present({ retriedByRunId: id, takenOver: [...taken], reason })
  await recordChange(tx, author, { ...retried, details })
  if (skip.length === 0) return
  const skipped = { action: 'pipeline-runs.skip', resourceType, resourceId: id }
  await recordChange(tx, author, { ...skipped, details: present({ steps: [...skip], reason }) })
}

/** Converts the conflict of a concurrent retry to an error that names the other one. */
export async function rejectConcurrentRetry<T>(db: Db, organizationId: string, id: string, retry: () => Promise<T>) {
  try {
    return await retry()
  } catch (error) {
    if (!isTaken(error, 'pipeline_runs_retried_once')) throw error
    const other = await findRetryOf(db, organizationId, id)
    throw other ? retriedAlready({ id }, other) : error
  }
}

const notFound = (id: string) => missing('pipelineRunNotFound', 'pipeline run', id)

const notRetriable = ({ id, status }: PipelineRunRow) =>
  new ApiError(
    'pipelineRunNotRetriable',
    status === 'SUCCESS'
      ? `The pipeline run ${id} succeeded: there is nothing to retry. Start a new run instead.`
      : `The pipeline run ${id} is ${status}: it can be retried when it is over. Wait for it, or cancel it.`,
  )

const retriedAlready = ({ id }: { id: string }, retry: { id: string; number: number; status: string }) =>
  new ApiError(
    'pipelineRunRetried',
    `The pipeline run ${id} was already retried by the run ${retry.id} (#${retry.number}), which is ${retry.status}.`,
    {
      description: `Retry ${retry.id} if it does not succeed: it has taken over what succeeded before.`,
      metadata: { pipelineRunId: retry.id },
    },
  )

const notSkippable = ({ id }: PipelineRunRow, items: string[]) =>
  new ApiError(
    'stepNotSkippable',
    `The retry of the run ${id} cannot skip these steps. See the details for the reasons.`,
    {
      details: listed('Skip', items),
    },
  )
