import { failures, type UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import type { OmittedValue } from '@sluice/contract/storable-value'
import { present } from '../../platform/present.ts'
import type { RetryConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'

/** Step of a run. */
export type Step = PipelineStepExecutionRow

type FinalStatus = 'SUCCESS' | 'ERROR' | 'CANCELLED' | 'SKIPPED'

const withoutRunner = { runnerId: null, leaseUntil: null, wakeAt: null, deadlineAt: null, waitingFor: null } as const

/** Ends a step and clears its wake-up. */
export function endStep(
  step: Step,
  status: FinalStatus,
  now: Date,
  { error, outputData, statusDetail }: Partial<Pick<Step, 'error' | 'outputData' | 'statusDetail'>> = {},
): Step {
  return {
    ...step,
    ...withoutRunner,
    status,
    completedAt: now,
    error: error ?? null,
    outputData: outputData ?? step.outputData,
    statusDetail: statusDetail ?? step.statusDetail,
  }
}

/**
 * Applies the end of an attempt to its step: the step ends, or waits for the next attempt. An attempt that was stopped
 * without a cancelled run has timed out.
 */
export function applyOutcome(
  step: Step,
  config: StepConfig | undefined,
  { cancelRequest }: Pick<PipelineRunRow, 'cancelRequest'>,
  outcome: Outcome,
  now: Date,
): Step {
  if (outcome.status === 'SUCCESS') return endSuccessful(step, outcome, now)
  if (outcome.status === 'CANCELLED' && cancelRequest) return endStep(step, 'CANCELLED', now, cancelRequest)
  const error = outcome.status === 'ERROR' ? outcome.error : timedOut(step, config)
  const isRepeated = !cancelRequest && canRetry(step, config?.retry, error.code)
  return isRepeated ? scheduleRetry(step, config?.retry, error, now) : endStep(step, 'ERROR', now, { error })
}

function endSuccessful(
  step: Step,
  { output = {}, omittedValues = [] }: Extract<Outcome, { status: 'SUCCESS' }>,
  now: Date,
) {
  if (omittedValues.length === 0) return endStep(step, 'SUCCESS', now, { outputData: output })
  const statusDetail = { ...step.statusDetail, omittedValues: listedOf(omittedValues) }
  return endStep(step, 'SUCCESS', now, { outputData: output, statusDetail })
}

/** Maximum number of listed omitted values. */
const maxListed = 50

const listedOf = (omittedValues: readonly OmittedValue[]): OmittedValue[] => {
  const moreCount = omittedValues.length - maxListed
  const more = { path: '…', reason: `${moreCount} further values are not stored` }
  return [...omittedValues.slice(0, maxListed), ...(moreCount > 0 ? [more] : [])]
}

/** Applies the loss of the attempt's runner, whose lease expired. */
export function applyRunnerLoss(
  step: Step,
  config: StepConfig | undefined,
  run: Pick<PipelineRunRow, 'cancelRequest'>,
  now: Date,
): Step {
  if (run.cancelRequest) return applyOutcome(step, config, run, { status: 'CANCELLED' }, now)
  return applyOutcome(step, config, run, { status: 'ERROR', error: runnerLost(step) }, now)
}

/** Reports whether the attempt with this number, counted from 0, is the last one. */
export const isLastAttempt = (retry: RetryConfig | undefined, retryAttempt: number): boolean =>
  retryAttempt + 1 >= (retry?.attempts ?? 1)

/**
 * Step types that are never retried automatically if the progress of the last attempt is unknown, because they change
 * infrastructure.
 */
const unsafeToRetry: readonly string[] = ['iac:apply', 'iac:destroy']

/** Error codes after which the progress of an attempt is unknown. */
const codesWithUnknownProgress: readonly string[] = [failures.runnerLost.code, failures.runnerTaskEnded.code]

function canRetry({ retryAttempt, stepType }: Step, retry: RetryConfig | undefined, code: string): boolean {
  if (isLastAttempt(retry, retryAttempt)) return false
  if (codesWithUnknownProgress.includes(code) && unsafeToRetry.includes(stepType)) return false
  return retry?.on === undefined || retry.on.some((pattern) => matches(pattern, code))
}

const matches = (pattern: string, code: string): boolean =>
  pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern

/** Returns the progress that a retry keeps: the commit that the first attempt found for its ref. */
const progressKeptByRetry = ({ progress: { commit } }: Step) => (commit === undefined ? {} : { commit })

function scheduleRetry(step: Step, retry: RetryConfig | undefined, error: UserFacingError, now: Date): Step {
  const readyAt = new Date(now.getTime() + backOffMs(retry, step.retryAttempt))
  const { code, message } = error
  return {
    ...step,
    ...withoutRunner,
    status: 'QUEUED',
    queueReason: 'RETRY_BACKOFF',
    queueMetadata: { readyAt: readyAt.toISOString(), error: { code, message } },
    retryAttempt: step.retryAttempt + 1,
    isLastRetry: isLastAttempt(retry, step.retryAttempt + 1),
    statusDetail: null,
    progress: progressKeptByRetry(step),
    cancelRequestedAt: null,
    // Every attempt has the full timeout.
    startedAt: null,
    deadlineAt: readyAt,
    waitingFor: 'the next attempt',
  }
}

/** Returns the back-off: as configured after the first attempt, doubled after each further one. */
function backOffMs(retry: RetryConfig | undefined, failedAttempts: number): number {
  const { backoff_seconds = 10, max_backoff_seconds = 600 } = retry ?? {}
  return Math.min(backoff_seconds * 2 ** failedAttempts, max_backoff_seconds) * 1000
}

/**
 * Default timeout of an attempt that runs a program, in seconds: one day. Deployments and child pipeline runs have
 * their own.
 */
export const defaultTimeoutSeconds = 86_400

export const timeoutSecondsOf = (config: StepConfig | undefined): number =>
  config?.timeout_seconds ?? defaultTimeoutSeconds

const timedOut = ({ stepName }: Step, config: StepConfig | undefined): UserFacingError => ({
  code: failures.stepTimedOut.code,
  message: `The step ${stepName} took longer than ${timeoutSecondsOf(config)} s and was stopped.`,
  description: 'Give it more time with timeout_seconds in the configuration of the pipeline.',
})

const runnerLost = ({ stepName, stepType, runnerId }: Step): UserFacingError =>
  present({
    code: failures.runnerLost.code,
    message: `The runner of the step ${stepName} was lost.`,
    description: unsafeToRetry.includes(stepType)
      ? 'It is not known how far the step came. Plan again to see what is left to do.'
      : 'See whether the machine of the runner is well, then run the pipeline again.',
    metadata: runnerId === null ? undefined : { runnerId },
  })
