import { failures, isRunOver, isStepOver, type UserFacingError } from '@sluice/contract'
import { listed } from '../../platform/http/listed.ts'
import { present } from '../../platform/present.ts'
import { type PipelineConfig, runsPrograms, type StepConfig } from '../pipeline-versions/config/schema.ts'
import { asksByItself, needsOf } from '../pipeline-versions/config/steps.ts'
import type { CancelRequest, PipelineRunRow } from '../pipelines/tables.ts'
import { ended, lost, type Step, timeoutSecondsOf } from './attempt.ts'
import {
  approvedUnchanged,
  asked,
  isApprovalExpired,
  isApprovedBySilence,
  outputOf,
  type Ruling,
  timedOutApproval,
} from './gates/approval.ts'
import { type Clearance, changesInfrastructure, frozen, unfrozen } from './gates/freezes.ts'
import { skipOf, skippedFor } from './skip.ts'
import { needsNoApproval } from './unchanged.ts'

/** What rendering said about a step whose turn has come. */
export type Verdict =
  | { do: 'go'; message?: string | undefined; stackId?: string | undefined }
  | { do: 'skip' }
  | { do: 'fail'; error: UserFacingError }

/** The version of a run that people have not approved yet: its number, and whose approval is missing, in words. */
export type Unapproved = { pipelineVersionId: string; version: number; asks: string }

/** All that the scheduler decides on. */
export type Situation = {
  config: PipelineConfig
  run: PipelineRunRow
  steps: readonly Step[]
  /** The run of the same concurrency group whose turn it is, if it is not this one's. */
  groupHeldBy?: string | undefined
  /** What policies ask people about its version that they have not answered yet. */
  unapproved?: Unapproved | undefined
  /** By the step's id in the config. */
  verdicts: ReadonlyMap<string, Verdict>
  /** By the same: whether a freeze stops a step that is to change infrastructure. Without it, nothing is asked. */
  clearances?: ReadonlyMap<string, Clearance> | undefined
  /** By the same: whether an approval rule asks about a step. Without it, none guards steps. */
  rulings?: ReadonlyMap<string, Ruling> | undefined
  /** The engine's id for what is going on now. */
  engineRunId: string
  limits: Limits
  now: Date
}

/**
 * How the run and its steps stand then, and the steps that nothing can be decided about without a verdict, a clearance
 * or a ruling.
 */
export type Scheduled = { run: PipelineRunRow; steps: Step[] } & Asking

type Asking = { toJudge: { config: StepConfig; succeeded: boolean }[]; toClear: Step[]; toRule: Step[] }

const nothingToAsk = (): Asking => ({ toJudge: [], toClear: [], toRule: [] })

/** Whether there is something to be asked before all is decided. */
export const isAsking = ({ toJudge, toClear, toRule }: Asking): boolean =>
  toJudge.length + toClear.length + toRule.length > 0

export type Limits = {
  /** How many steps of one run are under way at once. */
  mostAtOnce: number
  /** Whether the installation has runners of its own for steps that name no execution environment. */
  hasSharedRunners: boolean
}

/** With more steps under way, one run could take every runner. */
export const usualLimits: Limits = { mostAtOnce: 20, hasSharedRunners: true }

/** What a runner carries out; the others are short work of a worker. */
export const isForRunners = runsPrograms

/** More runs than this do not set each other off: two pipelines that wait for each other would do so for ever. */
export const longestChain = 10
/** What only one step may work on at a time, whichever run it is of. */
const worksOnStack = (type: string): boolean => type.startsWith('iac:')
const workerTypes: readonly string[] = ['deploy', 'deploy-swap', 'http', 'pipeline']
export const isForWorkers = (type: string): boolean => workerTypes.includes(type)

/** A step that was handed to a worker is sent to it again after this. Milliseconds. */
const handedOverMs = 5_000
/** How often a run looks after the leases of its runners, and its turn in its group. Milliseconds. */
const lookAgainMs = 30_000
/**
 * How often a run looks whether a freeze still stops it. Whoever changes a freeze wakes it; this is for a look that was
 * under way meanwhile and knew the freeze as it was. Milliseconds.
 */
const frozenAgainMs = 5 * 60_000
/** How long a run may take once it has begun: approvals alone may take 30 days each. Milliseconds. */
const longestRunMs = 90 * 86_400_000
/** How long a runner that lives may take to stop what it was told to stop. Milliseconds. */
const longestStopMs = 15 * 60_000

/** Does all that can be done now: starts, skips, asks, gives up and ends. Calling it again changes nothing more. */
export function schedule(situation: Situation): Scheduled {
  const { run } = situation
  if (isRunOver(run.status)) return { run, steps: [...situation.steps], ...nothingToAsk() }
  const dated = withDeadline(situation)
  const isHeld = dated.groupHeldBy !== undefined || dated.unapproved !== undefined
  const isWaiting = dated.run.status === 'QUEUED' && isHeld && !dated.run.cancelRequest
  const { steps, ...asking } = isWaiting ? { steps: held(dated), ...nothingToAsk() } : moved(dated)
  const next = isWaiting ? heldRun(dated) : runOf(dated, steps, isAsking(asking))
  const woken = withWake(next, wakeAtOf(dated, next, steps), situation.now)
  return { run: isSame(run, woken) ? run : woken, steps, ...asking }
}

/** What is the same need not be written again. */
const isSame = (run: PipelineRunRow, next: PipelineRunRow): boolean =>
  Object.entries(next).every(([name, value]) => run[name as keyof PipelineRunRow] === value)

/** Whoever asks first that a run ends is named; the run ends when what it had begun has stopped. */
export const cancelRequested = (run: PipelineRunRow, cancelRequest: CancelRequest): PipelineRunRow =>
  run.cancelRequest ? run : { ...run, cancelRequest }

function withDeadline(situation: Situation): Situation {
  const { run, now } = situation
  if (!run.deadlineAt || run.deadlineAt > now) return situation
  const error = {
    code: failures.runTimedOut.code,
    message: `The run was not over by ${run.deadlineAt.toISOString()}.`,
    description: 'Its steps show what it waited for.',
  }
  return { ...situation, run: cancelRequested(run, { by: 'Sluice', at: now.toISOString(), error }) }
}

// A run that waits for its version to be approved, or for its turn in its concurrency group.

function held({ config, steps, run, groupHeldBy, unapproved }: Situation): Step[] {
  const queueMetadata = unapproved ?? present({ group: run.concurrencyGroup ?? undefined, heldByRunId: groupHeldBy })
  const queueReason = unapproved ? 'VERSION_NOT_APPROVED' : 'CONCURRENCY'
  const over = new Set(steps.filter(({ status }) => isStepOver(status)).map(({ stepId }) => stepId)) // taken over
  return steps.map((step) => {
    const index = config.steps.findIndex(({ id }) => id === step.stepId)
    const isFirst = !over.has(step.stepId) && needsOf(config.steps, index).every((id) => over.has(id))
    return isFirst ? queued(step, queueReason, queueMetadata) : step
  })
}

const heldRun = ({ run, groupHeldBy, unapproved }: Situation): PipelineRunRow => ({
  ...run,
  waitingFor: unapproved ? 'its version to be approved' : `the run ${groupHeldBy} of its concurrency group to end`,
})

// A run that is under way.

function moved(situation: Situation): Omit<Scheduled, 'run'> {
  const toRule: Step[] = []
  const steps = new Map(situation.steps.map((step) => [step.stepId, lookedAfter(step, situation, toRule)]))
  if (situation.run.cancelRequest) return { steps: [...steps.values()], ...nothingToAsk() }

  // What is decided about a step may let others go on, and a need may stand behind the step that has it.
  for (let isChanging = true; isChanging; ) {
    isChanging = false
    const asking = { ...nothingToAsk(), toRule: [...toRule] }
    for (const [index, config] of situation.config.steps.entries()) {
      const step = steps.get(config.id)
      if (step?.status !== 'QUEUED') continue
      const needs = needsOf(situation.config.steps, index)
      const next = isHandedOver(step)
        ? (keptBack(step, config, situation, asking) ?? step)
        : decided(step, config, needs, steps, situation, asking)
      if (next === step) continue
      steps.set(config.id, next)
      isChanging = true
    }
    if (!isChanging) return { steps: [...steps.values()], ...asking }
  }
  throw new Error('unreachable')
}

/** What happens to a step by itself: its runner is lost, its time is up, nobody decided, its run is cancelled. */
function lookedAfter(step: Step, situation: Situation, toRule: Step[]): Step {
  const { config, run, now } = situation
  const { cancelRequest } = run
  const own = config.steps.find(({ id }) => id === step.stepId)
  if (step.status === 'IN_PROGRESS') return stillRunning(step, own, run, now)
  if (cancelRequest && !isStepOver(step.status)) return ended(unfrozen(step), 'CANCELLED', now, cancelRequest)
  if (!isApprovalExpired(step, now)) return step
  const ruling = isApprovedBySilence(step) ? rulingOn(step, situation, toRule) : 'free'
  return ruling ? timedOutApproval(step, ruling, now) : step
}

/** Whether a rule asks about a step; undefined until that is known. */
function rulingOn(step: Step, { rulings }: Situation, toRule: Step[]): Ruling | undefined {
  const ruling = rulings ? rulings.get(step.stepId) : 'free'
  if (ruling === undefined) toRule.push(step)
  return ruling
}

function stillRunning(step: Step, config: StepConfig | undefined, run: PipelineRunRow, now: Date): Step {
  const { leaseUntil, cancelRequestedAt } = step
  const isForRunner = isForRunners(step.stepType)
  const isStoppedTooLong = cancelRequestedAt !== null && now.getTime() - cancelRequestedAt.getTime() > longestStopMs
  if (isForRunner && (!leaseUntil || leaseUntil <= now || isStoppedTooLong)) return lost(step, config, run, now)
  const timeoutAt = timeoutAtOf(step, config)
  const mustStop = run.cancelRequest !== null || (timeoutAt !== undefined && timeoutAt <= now)
  return mustStop && cancelRequestedAt === null ? { ...step, cancelRequestedAt: now } : step
}

/** When the present attempt has no time left. Steps that only wait for others have as much as those. */
function timeoutAtOf({ startedAt, stepType }: Step, config: StepConfig | undefined): Date | undefined {
  if (!startedAt || (!isForRunners(stepType) && config?.timeout_seconds === undefined)) return undefined
  return new Date(startedAt.getTime() + timeoutSecondsOf(config) * 1000)
}

/** Whether its turn has come and it only waits for a runner or a worker to take it. */
export const isHandedOver = ({ status, queueReason, wakeAt }: Step): boolean =>
  status === 'QUEUED' &&
  (queueReason === 'RUNNER_CAPACITY' || queueReason === 'STACK_LOCKED' || (queueReason === 'READY' && wakeAt !== null))

function decided(
  step: Step,
  config: StepConfig,
  needs: string[],
  steps: ReadonlyMap<string, Step>,
  situation: Situation,
  asking: Asking,
): Step {
  const { verdicts, now } = situation
  if (!needs.every((id) => isStepOver(steps.get(id)?.status ?? 'SKIPPED'))) return step
  if (step.queueReason === 'RETRY_BACKOFF' && step.deadlineAt && step.deadlineAt > now) return step
  if (wasJudged(step)) {
    return undecided(step, config, situation, asking) ?? begun(step, config, steps, situation, asking)
  }

  const failed = needs.filter((id) => !hasSucceeded(id, steps, situation.config))
  if (failed.length > 0 && !readsNeeds(config.when)) return skipped(step, becauseOf(failed, steps), now)
  const skip = skipOf(step)
  if (skip) return { ...ended(step, 'SKIPPED', now), statusDetail: skippedFor(skip) }
  if (config.when === false) return skipped(step, conditionIsFalse, now)
  const needsVerdict =
    typeof config.when === 'string' || config.approval?.message !== undefined || worksOnStack(config.type)
  const verdict: Verdict | undefined = needsVerdict ? verdicts.get(config.id) : { do: 'go' }
  if (!verdict) {
    asking.toJudge.push({ config, succeeded: failed.length === 0 })
    return step
  }
  if (verdict.do === 'skip') return skipped(step, conditionIsFalse, now)
  if (verdict.do === 'fail') return ended(step, 'ERROR', now, { error: verdict.error })
  const { stackId = step.stackId } = verdict
  const judged = stackId === step.stackId ? step : { ...step, stackId }
  return (
    undecided(judged, config, situation, asking, verdict.message) ?? begun(judged, config, steps, situation, asking)
  )
}

/** A step that was handed over and must not begin now: a gate may have been closed meanwhile. */
const keptBack = (step: Step, config: StepConfig, situation: Situation, asking: Asking): Step | undefined =>
  undecided(step, config, situation, asking) ?? stoppedByFreeze(step, situation, asking)

/**
 * A step that somebody must decide about, or about which the rules must be asked first; undefined where it may begin. A
 * decision counts for as long as the rules are satisfied with it: by a stricter one the step asks again.
 */
function undecided(
  step: Step,
  config: StepConfig,
  situation: Situation,
  { toRule }: Asking,
  message = messageOf(step),
): Step | undefined {
  const asksAnyway = asksByItself(config)
  if (!asksAnyway && !changesInfrastructure(config.type)) return undefined
  const ruling = rulingOn(step, situation, toRule)
  if (!ruling) return step
  if (ruling === 'free' && (!asksAnyway || step.decision !== null)) return undefined
  if (ruling === 'free' && needsNoApproval(config, situation)) return approvedUnchanged(step, situation.now)
  const how = asksAnyway ? (config.approval ?? {}) : 'by-rule'
  const open = { ...unfrozen(step), decision: null, wakeAt: null }
  return asked(open, how, message, situation.run, ruling, situation.now)
}

/** What was asked about it before. */
function messageOf({ statusDetail }: Step): string | undefined {
  const { message } = (statusDetail?.approval ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/** Whether only its turn was left to wait for. */
const wasJudged = ({ queueReason }: Step): boolean =>
  queueReason === 'RETRY_BACKOFF' || queueReason === 'APPROVED' || queueReason === 'FROZEN'

/**
 * Its turn has come: it is handed to whoever carries it out, if the run may have one more under way and no freeze stops
 * it.
 */
function begun(
  step: Step,
  config: StepConfig,
  steps: ReadonlyMap<string, Step>,
  situation: Situation,
  asking: Asking,
): Step {
  const { type } = config
  const { engineRunId, limits, now } = situation
  const { hasSharedRunners } = limits
  if (type === 'approval') return ended(step, 'SUCCESS', now, { outputData: outputOf(step) })
  if (!isForRunners(type) && !isForWorkers(type)) return ended(step, 'ERROR', now, { error: typeUnknown(step) })
  const mostAtOnce = reachedLimit(config, steps, situation)
  const isHomeless = isForRunners(type) && step.executionEnvironmentId === null && !hasSharedRunners
  if (isHomeless) return ended(step, 'ERROR', now, { error: noPlace(step) })
  if (mostAtOnce !== undefined) return queued(unfrozen(step), 'CONCURRENCY', { mostAtOnce })
  const stopped = stoppedByFreeze(step, situation, asking)
  if (stopped) return stopped
  const ready = { engineRunId, error: null, deadlineAt: null, waitingFor: isForRunners(type) ? 'a runner' : 'a worker' }
  const wakeAt = isForRunners(type) ? null : new Date(now.getTime() + handedOverMs)
  return { ...queued(unfrozen(step), isForRunners(type) ? 'RUNNER_CAPACITY' : 'READY', {}), ...ready, wakeAt }
}

/** The limit of steps in progress that is reached: that of the run, or of the matrix of the step. */
function reachedLimit(
  { matrix, strategy }: StepConfig,
  steps: ReadonlyMap<string, Step>,
  { config, limits }: Situation,
): number | undefined {
  const isInProgress = (one: Step | undefined) =>
    one !== undefined && (one.status === 'IN_PROGRESS' || isHandedOver(one))
  if ([...steps.values()].filter(isInProgress).length >= limits.mostAtOnce) return limits.mostAtOnce
  const { max_parallel: maxParallel } = strategy ?? {}
  if (!matrix || maxParallel === undefined) return undefined
  const ofMatrix = config.steps.filter((one) => one.matrix?.of === matrix.of).map(({ id }) => steps.get(id))
  return ofMatrix.filter(isInProgress).length >= maxParallel ? maxParallel : undefined
}

/**
 * A step that is not to change infrastructure now, for a freeze or until those are asked; undefined where it may. One
 * that waits for a runner or its stack is looked after too: a freeze may begin meanwhile.
 */
function stoppedByFreeze(step: Step, { clearances }: Situation, { toClear }: Asking): Step | undefined {
  if (!clearances || !changesInfrastructure(step.stepType)) return undefined
  const clearance = clearances.get(step.stepId)
  if (clearance === undefined) {
    toClear.push(step)
    return step
  }
  return clearance.decision === 'wait' ? frozen(step, clearance) : undefined
}

/** Queued for this reason; the same step where that is said already. */
function queued(step: Step, queueReason: Step['queueReason'], queueMetadata: Step['queueMetadata']): Step {
  const isSaid =
    step.queueReason === queueReason && JSON.stringify(step.queueMetadata) === JSON.stringify(queueMetadata)
  return isSaid ? step : { ...step, queueReason, queueMetadata, wakeAt: null }
}

const skipped = (step: Step, why: string, now: Date): Step => ({
  ...ended(step, 'SKIPPED', now),
  statusDetail: { skipped: why },
})

const conditionIsFalse = 'Its condition was not met.'

const becauseOf = (failed: string[], steps: ReadonlyMap<string, Step>): string =>
  `It needs ${failed.map((id) => `${id}, which is ${steps.get(id)?.status ?? 'not there'}`).join('; ')}.`

/** Whether a step counts as done for those that need it; one that was skipped does where somebody wanted it. */
function hasSucceeded(id: string, steps: ReadonlyMap<string, Step>, config: PipelineConfig): boolean {
  const step = steps.get(id)
  if (step?.status === 'SKIPPED') return skipOf(step) !== undefined
  return step?.status === 'SUCCESS' || (step?.status === 'ERROR' && isTolerated(id, config))
}

const isTolerated = (id: string, { steps }: PipelineConfig): boolean =>
  steps.find((step) => step.id === id)?.on_failure === 'continue'

/** Whether a condition asks for itself how the steps before ended; otherwise they must have succeeded. */
export const readsNeeds = (when: StepConfig['when']): boolean =>
  typeof when === 'string' && /(?<![.\w])needs\s*[.[]/.test(when)

const noPlace = ({ stepName }: Step): UserFacingError => ({
  code: failures.noExecutionEnvironment.code,
  message: `There is no runner for the step ${stepName}: this installation has none of its own.`,
  description: 'Assign the organization, the project or the step to an execution environment with runners.',
})

const typeUnknown = ({ stepType }: Step): UserFacingError => ({
  code: failures.stepTypeUnknown.code,
  message: `There are no steps of the type ${stepType}.`,
  description: 'The version of the pipeline is older than this check; create a new one.',
})

// What the steps make of the run.

function runOf({ config, run, now }: Situation, steps: Step[], isUndecided: boolean): PipelineRunRow {
  const startedAt = run.startedAt ?? now
  if (steps.every(({ status }) => isStepOver(status))) return overRun({ ...run, startedAt }, config, steps, now)
  const isAsking = steps.some(({ status }) => status === 'PENDING_APPROVAL')
  const isBusy = isUndecided || steps.some((step) => isUnderWay(step))
  const deadlineAt = run.startedAt ? run.deadlineAt : new Date(now.getTime() + longestRunMs)
  const status = isAsking && !isBusy ? 'PENDING_APPROVAL' : 'IN_PROGRESS'
  return { ...run, status, startedAt, deadlineAt, waitingFor: waitingForOf(run, steps, status) }
}

const isUnderWay = (step: Step): boolean =>
  step.status === 'IN_PROGRESS' ||
  isHandedOver(step) ||
  (step.status === 'QUEUED' && step.queueReason !== 'DEPENDENCIES')

function waitingForOf(run: PipelineRunRow, steps: Step[], status: PipelineRunRow['status']): string {
  if (run.cancelRequest) return 'what it had begun to stop'
  const asking = steps.filter((step) => step.status === 'PENDING_APPROVAL').map(({ stepName }) => stepName)
  return status === 'PENDING_APPROVAL' ? `somebody to decide about ${asking.join(', ')}` : 'its steps'
}

function overRun(run: PipelineRunRow, config: PipelineConfig, steps: Step[], now: Date): PipelineRunRow {
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

/** All that is known of the first failure: people read of it in the run, and in what the run is for. */
function detailsOf(error: Step['error'], failed: Step[]): UserFacingError['details'] {
  const names = failed.map(({ stepName }) => stepName)
  const details = [...(failed.length > 1 ? listed('Failed steps', names) : []), ...(error?.details ?? [])]
  return details.length > 0 ? details : undefined
}

// When somebody must look again.

function wakeAtOf({ config, now }: Situation, run: PipelineRunRow, steps: Step[]): Date | null {
  if (isRunOver(run.status)) return null
  const again = now.getTime() + lookAgainMs
  const ownDeadline = run.cancelRequest ? undefined : run.deadlineAt?.getTime()
  const times = steps.flatMap((step) => {
    const own = config.steps.find(({ id }) => id === step.stepId)
    return timesOf(step, own, again)
  })
  const isIdle = times.length === 0
  return new Date(Math.min(ownDeadline ?? again, ...times, ...(isIdle || run.status === 'QUEUED' ? [again] : [])))
}

/** The times at which a step may call for a look. */
function timesOf(step: Step, config: StepConfig | undefined, again: number): number[] {
  if (step.status === 'PENDING_APPROVAL') return step.approval ? [Date.parse(step.approval.expiresAt)] : []
  if (step.status === 'IN_PROGRESS') {
    const timeoutAt = step.cancelRequestedAt ? undefined : timeoutAtOf(step, config)
    return [again, step.leaseUntil, timeoutAt].flatMap((time) => (time ? [Number(time)] : []))
  }
  if (step.status !== 'QUEUED') return []
  if (step.queueReason === 'RETRY_BACKOFF' && step.deadlineAt) return [step.deadlineAt.getTime()]
  if (step.queueReason === 'FROZEN' && step.deadlineAt) {
    return [Math.min(step.deadlineAt.getTime(), again - lookAgainMs + frozenAgainMs)]
  }
  // Before its time is up a runner must have taken it, and then the time is known.
  if (isHandedOver(step)) return [Math.min(again, again - lookAgainMs + timeoutSecondsOf(config) * 1000)]
  return []
}

/** A wake-up that is set for an earlier time does as well: another look changes nothing. */
function withWake(run: PipelineRunRow, wakeAt: Date | null, now: Date): PipelineRunRow {
  if (wakeAt === null) return { ...run, wakeAt }
  const isSet = run.wakeAt !== null && run.wakeAt > now && run.wakeAt <= wakeAt
  return isSet ? run : { ...run, wakeAt, wakeSeq: run.wakeSeq + 1 }
}
