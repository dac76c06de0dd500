import { failures, isRunOver, isStepOver, type UserFacingError } from '@sluice/contract'
import { listed } from '../../platform/http/listed.ts'
import { present } from '../../platform/present.ts'
import { type PipelineConfig, runsPrograms, type StepConfig } from '../pipeline-versions/config/schema.ts'
import { needsOf, requiresApproval } from '../pipeline-versions/config/steps.ts'
import type { CancelRequest, PipelineRunRow } from '../pipelines/tables.ts'
import { applyRunnerLoss, endStep, type Step, timeoutSecondsOf } from './attempt.ts'
import {
  type ApprovalRuleResult,
  approvesOnTimeout,
  approveWithoutChanges,
  expireApproval,
  isApprovalExpired,
  outputOf,
  requestApproval,
} from './gates/approval.ts'
import { type Clearance, changesInfrastructure, freezeStep, unfreezeStep } from './gates/freezes.ts'
import { skipOf, skippedDetail } from './skip.ts'
import { needsNoApproval } from './unchanged.ts'

/** Result of rendering a step that is about to start. */
export type Verdict =
  | { do: 'go'; message?: string | undefined; stackId?: string | undefined }
  | { do: 'skip' }
  | { do: 'fail'; error: UserFacingError }

/** Version of a run that is not approved yet: its number, and a message with the missing approvals. */
export type Unapproved = { pipelineVersionId: string; version: number; asks: string }

/** Input of the scheduler. */
export type SchedulerInput = {
  config: PipelineConfig
  run: PipelineRunRow
  steps: readonly Step[]
  /** Run of the same concurrency group that precedes this one, if there is one. */
  groupHeldBy?: string | undefined
  /** Approvals of the version that policies require and that are missing. */
  unapproved?: Unapproved | undefined
  /** Render results, by step id in the config. */
  verdicts: ReadonlyMap<string, Verdict>
  /**
   * Whether a freeze blocks a step that changes infrastructure, by step id. Undefined if the organization has no
   * freezes.
   */
  clearances?: ReadonlyMap<string, Clearance> | undefined
  /** Whether an approval rule applies to a step, by step id. Undefined if the organization has no rules for steps. */
  rulings?: ReadonlyMap<string, ApprovalRuleResult> | undefined
  /** Id of the current engine call. */
  engineRunId: string
  limits: Limits
  now: Date
}

/**
 * Run and steps after scheduling, and the steps that need a render result, a clearance or a policy result first.
 */
export type Scheduled = { run: PipelineRunRow; steps: Step[] } & RequiredInput

type RequiredInput = { toJudge: { config: StepConfig; succeeded: boolean }[]; toClear: Step[]; toRule: Step[] }

const nothingToAsk = (): RequiredInput => ({ toJudge: [], toClear: [], toRule: [] })

/** Reports whether the scheduler needs more input before it can decide everything. */
export const needsInput = ({ toJudge, toClear, toRule }: RequiredInput): boolean =>
  toJudge.length + toClear.length + toRule.length > 0

export type Limits = {
  /** Maximum number of concurrent steps of a run. */
  mostAtOnce: number
  /** Whether the installation has shared runners for steps without an execution environment. */
  hasSharedRunners: boolean
}

/** Default limits, so that one run cannot occupy every runner. */
export const defaultLimits: Limits = { mostAtOnce: 20, hasSharedRunners: true }

/** Reports whether a runner executes steps of this type. Other steps run as short tasks on a worker. */
export const isForRunners = runsPrograms

/** Maximum length of a chain of runs that start each other, because two pipelines could do so indefinitely. */
export const maxChainLength = 10
/** Reports whether steps of this type need exclusive access to their stack. */
const worksOnStack = (type: string): boolean => type.startsWith('iac:')
const workerTypes: readonly string[] = ['deploy', 'deploy-swap', 'http', 'pipeline', 'rehearse']
export const isForWorkers = (type: string): boolean => workerTypes.includes(type)

/** Interval in milliseconds after which the message of a step that was dispatched to a worker is sent again. */
const redispatchMs = 5_000
/** Interval in milliseconds at which a run checks the leases of its runners, and its turn in its concurrency group. */
const checkIntervalMs = 30_000
/**
 * Interval in milliseconds at which a run checks whether a freeze still blocks it. A change of a freeze makes runs due
 * at once; this covers a concurrent pass that read the old freeze.
 */
const freezeCheckIntervalMs = 5 * 60_000
/** Maximum duration of a run after its start, in milliseconds. Approvals alone may take 30 days each. */
const maxRunMs = 90 * 86_400_000
/** Maximum time in milliseconds for a live runner to stop an attempt. */
const maxStopMs = 15 * 60_000

/**
 * Does everything that is possible now: starts and skips steps, requests approvals, and applies timeouts and the end.
 * Idempotent.
 */
export function schedule(situation: SchedulerInput): Scheduled {
  const { run } = situation
  if (isRunOver(run.status)) return { run, steps: [...situation.steps], ...nothingToAsk() }
  const dated = withDeadline(situation)
  const isHeld = dated.groupHeldBy !== undefined || dated.unapproved !== undefined
  const isWaiting = dated.run.status === 'QUEUED' && isHeld && !dated.run.cancelRequest
  const { steps, ...asking } = isWaiting ? { steps: holdSteps(dated), ...nothingToAsk() } : advanceSteps(dated)
  const next = isWaiting ? holdRun(dated) : runOf(dated, steps, needsInput(asking))
  const woken = withWakeUp(next, wakeAtOf(dated, next, steps), situation.now)
  return { run: isSame(run, woken) ? run : woken, steps, ...asking }
}

/** Reports whether two states of a run are equal, so that no write is needed. */
const isSame = (run: PipelineRunRow, next: PipelineRunRow): boolean =>
  Object.entries(next).every(([name, value]) => run[name as keyof PipelineRunRow] === value)

/** Requests the cancellation of a run; the first request counts. The run ends when its active steps have stopped. */
export const requestCancel = (run: PipelineRunRow, cancelRequest: CancelRequest): PipelineRunRow =>
  run.cancelRequest ? run : { ...run, cancelRequest }

function withDeadline(situation: SchedulerInput): SchedulerInput {
  const { run, now } = situation
  if (!run.deadlineAt || run.deadlineAt > now) return situation
  const error = {
    code: failures.runTimedOut.code,
    message: `The run was not over by ${run.deadlineAt.toISOString()}.`,
    description: 'Its steps show what it waited for.',
  }
  return { ...situation, run: requestCancel(run, { by: 'Sluice', at: now.toISOString(), error }) }
}

// Runs that wait for the approval of their version or for their concurrency group.

function holdSteps({ config, steps, run, groupHeldBy, unapproved }: SchedulerInput): Step[] {
  const queueMetadata = unapproved ?? present({ group: run.concurrencyGroup ?? undefined, heldByRunId: groupHeldBy })
  const queueReason = unapproved ? 'VERSION_NOT_APPROVED' : 'CONCURRENCY'
  // Includes steps that a retry reuses.
  const over = new Set(steps.filter(({ status }) => isStepOver(status)).map(({ stepId }) => stepId))
  return steps.map((step) => {
    const index = config.steps.findIndex(({ id }) => id === step.stepId)
    const isFirst = !over.has(step.stepId) && needsOf(config.steps, index).every((id) => over.has(id))
    return isFirst ? queueStep(step, queueReason, queueMetadata) : step
  })
}

const holdRun = ({ run, groupHeldBy, unapproved }: SchedulerInput): PipelineRunRow => ({
  ...run,
  waitingFor: unapproved ? 'its version to be approved' : `the run ${groupHeldBy} of its concurrency group to end`,
})

// Runs in progress.

function advanceSteps(situation: SchedulerInput): Omit<Scheduled, 'run'> {
  const toRule: Step[] = []
  const steps = new Map(situation.steps.map((step) => [step.stepId, applyPassiveChanges(step, situation, toRule)]))
  if (situation.run.cancelRequest) return { steps: [...steps.values()], ...nothingToAsk() }

  // A decision about a step may affect others, and a step may be listed before those that it needs.
  for (let isChanging = true; isChanging; ) {
    isChanging = false
    const asking = { ...nothingToAsk(), toRule: [...toRule] }
    for (const [index, config] of situation.config.steps.entries()) {
      const step = steps.get(config.id)
      if (step?.status !== 'QUEUED') continue
      const needs = needsOf(situation.config.steps, index)
      const next = isDispatched(step)
        ? (blockedStep(step, config, situation, asking) ?? step)
        : decideStep(step, config, needs, steps, situation, asking)
      if (next === step) continue
      steps.set(config.id, next)
      isChanging = true
    }
    if (!isChanging) return { steps: [...steps.values()], ...asking }
  }
  throw new Error('unreachable')
}

/**
 * Applies changes to a step that do not come from its runner: a lost runner, timeouts, an expired approval, a cancelled
 * run.
 */
function applyPassiveChanges(step: Step, situation: SchedulerInput, toRule: Step[]): Step {
  const { config, run, now } = situation
  const { cancelRequest } = run
  const own = config.steps.find(({ id }) => id === step.stepId)
  if (step.status === 'IN_PROGRESS') return stillRunning(step, own, run, now)
  if (cancelRequest && !isStepOver(step.status)) return endStep(unfreezeStep(step), 'CANCELLED', now, cancelRequest)
  if (!isApprovalExpired(step, now)) return step
  const ruling = approvesOnTimeout(step) ? policyResultOf(step, situation, toRule) : 'free'
  return ruling ? expireApproval(step, ruling, now) : step
}

/** Returns whether an approval rule applies to a step; undefined until that is known. */
function policyResultOf(step: Step, { rulings }: SchedulerInput, toRule: Step[]): ApprovalRuleResult | undefined {
  const ruling = rulings ? rulings.get(step.stepId) : 'free'
  if (ruling === undefined) toRule.push(step)
  return ruling
}

function stillRunning(step: Step, config: StepConfig | undefined, run: PipelineRunRow, now: Date): Step {
  const { leaseUntil, cancelRequestedAt } = step
  const isForRunner = isForRunners(step.stepType)
  const isStoppedTooLong = cancelRequestedAt !== null && now.getTime() - cancelRequestedAt.getTime() > maxStopMs
  if (isForRunner && (!leaseUntil || leaseUntil <= now || isStoppedTooLong))
    return applyRunnerLoss(step, config, run, now)
  const timeoutAt = timeoutAtOf(step, config)
  const mustStop = run.cancelRequest !== null || (timeoutAt !== undefined && timeoutAt <= now)
  return mustStop && cancelRequestedAt === null ? { ...step, cancelRequestedAt: now } : step
}

/** Returns when the current attempt times out. Steps that wait for others have no default timeout. */
function timeoutAtOf({ startedAt, stepType }: Step, config: StepConfig | undefined): Date | undefined {
  if (!startedAt || (!isForRunners(stepType) && config?.timeout_seconds === undefined)) return undefined
  return new Date(startedAt.getTime() + timeoutSecondsOf(config) * 1000)
}

/** Reports whether a step is ready and waits only for a runner or a worker. */
export const isDispatched = ({ status, queueReason, wakeAt }: Step): boolean =>
  status === 'QUEUED' &&
  (queueReason === 'RUNNER_CAPACITY' || queueReason === 'STACK_LOCKED' || (queueReason === 'READY' && wakeAt !== null))

function decideStep(
  step: Step,
  config: StepConfig,
  needs: string[],
  steps: ReadonlyMap<string, Step>,
  situation: SchedulerInput,
  asking: RequiredInput,
): Step {
  const { verdicts, now } = situation
  if (!needs.every((id) => isStepOver(steps.get(id)?.status ?? 'SKIPPED'))) return step
  if (step.queueReason === 'RETRY_BACKOFF' && step.deadlineAt && step.deadlineAt > now) return step
  if (hasBeenEvaluated(step)) {
    return stepAwaitingApproval(step, config, situation, asking) ?? dispatchStep(step, config, steps, situation, asking)
  }

  const failed = needs.filter((id) => !hasSucceeded(id, steps, situation.config))
  if (failed.length > 0 && !readsNeeds(config.when)) return skipStep(step, becauseOf(failed, steps), now)
  const skip = skipOf(step)
  if (skip) return { ...endStep(step, 'SKIPPED', now), statusDetail: skippedDetail(skip) }
  if (config.when === false) return skipStep(step, conditionIsFalse, now)
  const needsVerdict =
    typeof config.when === 'string' || config.approval?.message !== undefined || worksOnStack(config.type)
  const verdict: Verdict | undefined = needsVerdict ? verdicts.get(config.id) : { do: 'go' }
  if (!verdict) {
    asking.toJudge.push({ config, succeeded: failed.length === 0 })
    return step
  }
  if (verdict.do === 'skip') return skipStep(step, conditionIsFalse, now)
  if (verdict.do === 'fail') return endStep(step, 'ERROR', now, { error: verdict.error })
  const { stackId = step.stackId } = verdict
  const judged = stackId === step.stackId ? step : { ...step, stackId }
  return (
    stepAwaitingApproval(judged, config, situation, asking, verdict.message) ??
    dispatchStep(judged, config, steps, situation, asking)
  )
}

/** Returns a dispatched step that must not start now, because a gate may have been closed meanwhile. */
const blockedStep = (
  step: Step,
  config: StepConfig,
  situation: SchedulerInput,
  asking: RequiredInput,
): Step | undefined =>
  stepAwaitingApproval(step, config, situation, asking) ?? stepBlockedByFreeze(step, situation, asking)

/**
 * Returns a step that needs an approval, or whose rules must be evaluated first; undefined if it can start. A decision
 * counts as long as the rules accept it: a stricter rule requires a new one.
 */
function stepAwaitingApproval(
  step: Step,
  config: StepConfig,
  situation: SchedulerInput,
  { toRule }: RequiredInput,
  message = messageOf(step),
): Step | undefined {
  const asksAnyway = requiresApproval(config)
  if (!asksAnyway && !changesInfrastructure(config.type)) return undefined
  const ruling = policyResultOf(step, situation, toRule)
  if (!ruling) return step
  if (ruling === 'free' && (!asksAnyway || step.decision !== null)) return undefined
  if (ruling === 'free' && needsNoApproval(config, situation)) return approveWithoutChanges(step, situation.now)
  const how = asksAnyway ? (config.approval ?? {}) : 'by-rule'
  const open = { ...unfreezeStep(step), decision: null, wakeAt: null }
  return requestApproval(open, how, message, situation.run, ruling, situation.now)
}

/** Returns the message of the previous approval request. */
function messageOf({ statusDetail }: Step): string | undefined {
  const { message } = (statusDetail?.approval ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/** Reports whether the step's condition has been evaluated already. */
const hasBeenEvaluated = ({ queueReason }: Step): boolean =>
  queueReason === 'RETRY_BACKOFF' || queueReason === 'APPROVED' || queueReason === 'FROZEN'

/** Dispatches a ready step to a runner or worker, if the concurrency limits and freezes permit it. */
function dispatchStep(
  step: Step,
  config: StepConfig,
  steps: ReadonlyMap<string, Step>,
  situation: SchedulerInput,
  asking: RequiredInput,
): Step {
  const { type } = config
  const { engineRunId, limits, now } = situation
  const { hasSharedRunners } = limits
  if (type === 'approval') return endStep(step, 'SUCCESS', now, { outputData: outputOf(step) })
  if (!isForRunners(type) && !isForWorkers(type)) return endStep(step, 'ERROR', now, { error: typeUnknown(step) })
  const mostAtOnce = reachedLimit(config, steps, situation)
  const isHomeless = isForRunners(type) && step.executionEnvironmentId === null && !hasSharedRunners
  if (isHomeless) return endStep(step, 'ERROR', now, { error: noPlace(step) })
  if (mostAtOnce !== undefined) return queueStep(unfreezeStep(step), 'CONCURRENCY', { mostAtOnce })
  const stopped = stepBlockedByFreeze(step, situation, asking)
  if (stopped) return stopped
  const ready = { engineRunId, error: null, deadlineAt: null, waitingFor: isForRunners(type) ? 'a runner' : 'a worker' }
  const wakeAt = isForRunners(type) ? null : new Date(now.getTime() + redispatchMs)
  return { ...queueStep(unfreezeStep(step), isForRunners(type) ? 'RUNNER_CAPACITY' : 'READY', {}), ...ready, wakeAt }
}

/** Returns the limit of concurrent steps that is reached: that of the run, or of the step's matrix. */
function reachedLimit(
  { matrix, strategy }: StepConfig,
  steps: ReadonlyMap<string, Step>,
  { config, limits }: SchedulerInput,
): number | undefined {
  const isInProgress = (one: Step | undefined) =>
    one !== undefined && (one.status === 'IN_PROGRESS' || isDispatched(one))
  if ([...steps.values()].filter(isInProgress).length >= limits.mostAtOnce) return limits.mostAtOnce
  const { max_parallel: maxParallel } = strategy ?? {}
  if (!matrix || maxParallel === undefined) return undefined
  const ofMatrix = config.steps.filter((one) => one.matrix?.of === matrix.of).map(({ id }) => steps.get(id))
  return ofMatrix.filter(isInProgress).length >= maxParallel ? maxParallel : undefined
}

/**
 * Returns a step that must not change infrastructure now, because of a freeze or until freezes are evaluated; undefined
 * if it can. Also checks steps that wait for a runner or their stack, because a freeze may begin meanwhile.
 */
function stepBlockedByFreeze(step: Step, { clearances }: SchedulerInput, { toClear }: RequiredInput): Step | undefined {
  if (!clearances || !changesInfrastructure(step.stepType)) return undefined
  const clearance = clearances.get(step.stepId)
  if (clearance === undefined) {
    toClear.push(step)
    return step
  }
  return clearance.decision === 'wait' ? freezeStep(step, clearance) : undefined
}

/** Queues a step with a reason; returns the same step if it has this reason already. */
function queueStep(step: Step, queueReason: Step['queueReason'], queueMetadata: Step['queueMetadata']): Step {
  const isSaid =
    step.queueReason === queueReason && JSON.stringify(step.queueMetadata) === JSON.stringify(queueMetadata)
  return isSaid ? step : { ...step, queueReason, queueMetadata, wakeAt: null }
}

const skipStep = (step: Step, why: string, now: Date): Step => ({
  ...endStep(step, 'SKIPPED', now),
  statusDetail: { skipped: why },
})

const conditionIsFalse = 'Its condition was not met.'

const becauseOf = (failed: string[], steps: ReadonlyMap<string, Step>): string =>
  `It needs ${failed.map((id) => `${id}, which is ${steps.get(id)?.status ?? 'not there'}`).join('; ')}.`

/** Reports whether dependent steps can treat a step as successful, which includes a step that a user skipped. */
function hasSucceeded(id: string, steps: ReadonlyMap<string, Step>, config: PipelineConfig): boolean {
  const step = steps.get(id)
  if (step?.status === 'SKIPPED') return skipOf(step) !== undefined
  return step?.status === 'SUCCESS' || (step?.status === 'ERROR' && isTolerated(id, config))
}

const isTolerated = (id: string, { steps }: PipelineConfig): boolean =>
  steps.find((step) => step.id === id)?.on_failure === 'continue'

/** Reports whether a condition reads the results of previous steps; otherwise they must have succeeded. */
export const readsNeeds = (when: StepConfig['when']): boolean =>
  typeof when === 'string' && /(?<![.\w])needs\s*[.[]/.test(when)

const noPlace = ({ stepName }: Step): UserFacingError => ({
  code: failures.noExecutionEnvironment.code,
  message: `There is no runner for the step ${stepName}: this installation has no shared runners.`,
  description: 'Assign the organization, the project or the step to an execution environment with runners.',
})

const typeUnknown = ({ stepType }: Step): UserFacingError => ({
  code: failures.stepTypeUnknown.code,
  message: `There are no steps of the type ${stepType}.`,
  description: 'The version of the pipeline is older than this check; create a new one.',
})

// Status of the run, derived from its steps.

function runOf({ config, run, now }: SchedulerInput, steps: Step[], isUndecided: boolean): PipelineRunRow {
  const startedAt = run.startedAt ?? now
  if (steps.every(({ status }) => isStepOver(status))) return endRun({ ...run, startedAt }, config, steps, now)
  const isAsking = steps.some(({ status }) => status === 'PENDING_APPROVAL')
  const isBusy = isUndecided || steps.some((step) => isActive(step))
  const deadlineAt = run.startedAt ? run.deadlineAt : new Date(now.getTime() + maxRunMs)
  const status = isAsking && !isBusy ? 'PENDING_APPROVAL' : 'IN_PROGRESS'
  return { ...run, status, startedAt, deadlineAt, waitingFor: waitingForOf(run, steps, status) }
}

const isActive = (step: Step): boolean =>
  step.status === 'IN_PROGRESS' ||
  isDispatched(step) ||
  (step.status === 'QUEUED' && step.queueReason !== 'DEPENDENCIES')

function waitingForOf(run: PipelineRunRow, steps: Step[], status: PipelineRunRow['status']): string {
  if (run.cancelRequest) return 'what it had begun to stop'
  const asking = steps.filter((step) => step.status === 'PENDING_APPROVAL').map(({ stepName }) => stepName)
  return status === 'PENDING_APPROVAL' ? `decisions about ${asking.join(', ')}` : 'its steps'
}

function endRun(run: PipelineRunRow, config: PipelineConfig, steps: Step[], now: Date): PipelineRunRow {
  const over = { ...run, completedAt: now, wakeAt: null, deadlineAt: null, waitingFor: null }
  if (run.cancelRequest) return { ...over, status: 'CANCELLED', error: run.cancelRequest.error }
  const failed = steps.filter(({ status, stepId }) => status === 'ERROR' && !isTolerated(stepId, config))
  const [first] = failed
  return first ? { ...over, status: 'ERROR', error: stepFailed(first, failed) } : { ...over, status: 'SUCCESS' }
}

const stepFailed = ({ id, stepId, stepName, error }: Step, failed: Step[]): UserFacingError =>
  present({
    code: failures.stepFailed.code,
    message: `The step ${stepName} failed${error ? `: ${error.message}` : '.'}`,
    description: error?.description,
    action: error?.action,
    details: detailsOf(error, failed),
    metadata: present({ stepExecutionId: id, stepId, stepCode: error?.code }),
  })

/** Returns the details of the first failure, for the run and its owner. */
function detailsOf(error: Step['error'], failed: Step[]): UserFacingError['details'] {
  const names = failed.map(({ stepName }) => stepName)
  const details = [...(failed.length > 1 ? listed('Failed steps', names) : []), ...(error?.details ?? [])]
  return details.length > 0 ? details : undefined
}

// Times of the next pass.

function wakeAtOf({ config, now }: SchedulerInput, run: PipelineRunRow, steps: Step[]): Date | null {
  if (isRunOver(run.status)) return null
  const again = now.getTime() + checkIntervalMs
  const ownDeadline = run.cancelRequest ? undefined : run.deadlineAt?.getTime()
  const times = steps.flatMap((step) => {
    const own = config.steps.find(({ id }) => id === step.stepId)
    return timesOf(step, own, again)
  })
  const isIdle = times.length === 0
  return new Date(Math.min(ownDeadline ?? again, ...times, ...(isIdle || run.status === 'QUEUED' ? [again] : [])))
}

/** Returns the times at which a step may need a pass. */
function timesOf(step: Step, config: StepConfig | undefined, again: number): number[] {
  if (step.status === 'PENDING_APPROVAL') return step.approval ? [Date.parse(step.approval.expiresAt)] : []
  if (step.status === 'IN_PROGRESS') {
    const timeoutAt = step.cancelRequestedAt ? undefined : timeoutAtOf(step, config)
    return [again, step.leaseUntil, timeoutAt].flatMap((time) => (time ? [Number(time)] : []))
  }
  if (step.status !== 'QUEUED') return []
  if (step.queueReason === 'RETRY_BACKOFF' && step.deadlineAt) return [step.deadlineAt.getTime()]
  if (step.queueReason === 'FROZEN' && step.deadlineAt) {
    return [Math.min(step.deadlineAt.getTime(), again - checkIntervalMs + freezeCheckIntervalMs)]
  }
  // Before a step can time out, a runner must lease it, which sets the exact time.
  if (isDispatched(step)) return [Math.min(again, again - checkIntervalMs + timeoutSecondsOf(config) * 1000)]
  return []
}

/** Schedules the wake-up. Keeps an earlier one, because an additional pass changes nothing. */
function withWakeUp(run: PipelineRunRow, wakeAt: Date | null, now: Date): PipelineRunRow {
  if (wakeAt === null) return { ...run, wakeAt }
  const isSet = run.wakeAt !== null && run.wakeAt > now && run.wakeAt <= wakeAt
  return isSet ? run : { ...run, wakeAt, wakeSeq: run.wakeSeq + 1 }
}
