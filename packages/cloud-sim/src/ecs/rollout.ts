import type { DeploymentConfiguration, DeploymentLifecycleHook } from '@aws-sdk/client-ecs'
import type { Timing } from '../timing.ts'
import { backwardPhases, forwardPhases, type Phase, type Stage, type Strategy, type Weights } from './stages.ts'

export type Status =
  | 'PENDING'
  | 'IN_PROGRESS'
  | 'STOP_REQUESTED'
  | 'STOPPED'
  | 'ROLLBACK_REQUESTED'
  | 'ROLLBACK_IN_PROGRESS'
  | 'ROLLBACK_SUCCESSFUL'
  | 'ROLLBACK_FAILED'
  | 'SUCCESSFUL'

/**
 * Legal transitions between statuses. (Developer guide, "View service history using Amazon ECS service deployments".)
 */
export const statusTransitions: Record<Status, readonly Status[]> = {
  PENDING: ['IN_PROGRESS', 'ROLLBACK_REQUESTED', 'STOP_REQUESTED', 'STOPPED'],
  IN_PROGRESS: ['SUCCESSFUL', 'STOP_REQUESTED', 'ROLLBACK_REQUESTED', 'ROLLBACK_IN_PROGRESS', 'STOPPED'],
  STOP_REQUESTED: ['STOPPED'],
  ROLLBACK_REQUESTED: ['SUCCESSFUL', 'ROLLBACK_IN_PROGRESS', 'STOPPED'],
  ROLLBACK_IN_PROGRESS: ['ROLLBACK_SUCCESSFUL', 'ROLLBACK_FAILED'],
  ROLLBACK_SUCCESSFUL: [],
  ROLLBACK_FAILED: [],
  STOPPED: [],
  SUCCESSFUL: [],
}

export const isFinal = (status: Status) => statusTransitions[status].length === 0

export interface Hook {
  hookId: string
  targetType: 'PAUSE' | 'AWS_LAMBDA'
  targetArn?: string | undefined
  stage: Stage
  /** Number of the phase that opened it, because linear and canary deployments pass a stage several times. */
  visit: number
  status: 'AWAITING_ACTION' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT'
  /** Time at which the hook times out, in cloud time. */
  expiresAt?: number | undefined
  timeoutAction?: 'CONTINUE' | 'ROLLBACK' | undefined
}

/** Progress of a deployment. All times are cloud time, in milliseconds. */
export interface Rollout {
  strategy: Strategy
  status: Status
  statusReason?: string | undefined
  rollbackReason?: string | undefined
  direction: 'forward' | 'back'
  phases: Phase[]
  /** Index of the current phase; -1 before the first. */
  at: number
  visit: number
  /** Start of the current phase or status. */
  since: number
  hooks: Hook[]
}

/** Durations of transitions without a configured duration. */
export type TransitionTiming = Pick<Timing, 'requestSeconds' | 'stageSeconds' | 'trafficShiftSeconds'>

/** Facts on which the transitions depend. */
export interface RolloutFacts {
  now: number
  pace: TransitionTiming
  configuration: DeploymentConfiguration
  predecessorsAreOver: boolean
  /** Whether revisions other than the target and its predecessor have tasks. */
  hasStrays: boolean
  /** Time for which alarms are watched after a rolling deployment replaced the tasks; 0 without alarms. */
  alarmBakeMinutes: number
  hasBase: boolean
  targetIsUp: boolean
  targetIsGone: boolean
  baseIsUp: boolean
  /** Whether only the target has tasks. */
  othersAreGone: boolean
  /** Failure reported by the circuit breaker or an alarm, and whether it causes a rollback. */
  failure?: { reason: string; rollback: boolean } | undefined
  newHookId: () => string
  /** Reports whether a hook's Lambda function exists. */
  isFunction: (arn: string | undefined) => boolean
}

const minuteMs = 60_000
/** Time after which a stage without progress fails. (Developer guide, blue/green workflow.) */
const stageLimitMs = 24 * 60 * minuteMs

export const newRollout = (strategy: Strategy, now: number): Rollout => ({
  strategy,
  status: 'PENDING',
  direction: 'forward',
  phases: [],
  at: -1,
  visit: 0,
  since: now,
  hooks: [],
})

export const phaseOf = (rollout: Rollout): Phase | undefined => rollout.phases[rollout.at]
export const weightsOf = (rollout: Rollout): Weights => phaseOf(rollout)?.weights ?? { production: 0, test: 0 }

/** Returns the next state, or undefined if nothing changes before `wakeAt` or another event. */
export function nextRollout(rollout: Rollout, facts: RolloutFacts): Rollout | undefined {
  switch (rollout.status) {
    case 'PENDING':
      return facts.predecessorsAreOver && requestIsDue(rollout, facts) ? begin(rollout, facts) : undefined
    case 'STOP_REQUESTED':
      return requestIsDue(rollout, facts) ? { ...rollout, status: 'STOPPED' } : undefined
    case 'ROLLBACK_REQUESTED':
      // Too late to roll back: the deployment completes first.
      if (phaseOf(rollout)?.stage === 'CLEAN_UP') return continueRollout(rollout, facts)
      return facts.predecessorsAreOver && requestIsDue(rollout, facts)
        ? turnBack(rollout, rollout.rollbackReason ?? 'Rollback requested.', facts)
        : undefined
    case 'IN_PROGRESS':
      return (
        timeOutHook(rollout, facts) ??
        failWithHook(rollout, facts) ??
        fail(rollout, facts) ??
        continueRollout(rollout, facts)
      )
    case 'ROLLBACK_IN_PROGRESS':
      return continueRollout(rollout, facts)
    default:
      return undefined
  }
}

/** Returns when time alone may cause the next transition, or undefined if only an answer or the tasks can. */
export function wakeAt(rollout: Rollout, { now, pace }: Pick<RolloutFacts, 'now' | 'pace'>): number | undefined {
  if (isFinal(rollout.status)) return undefined
  const moments = rollout.hooks.filter(isAwaiting).map((hook) => hook.expiresAt ?? Number.POSITIVE_INFINITY)
  const isRequested = rollout.status === 'PENDING' || rollout.status.endsWith('_REQUESTED')
  moments.push(rollout.since + (isRequested ? pace.requestSeconds * 1000 : lengthMs(rollout, pace)))
  if (phaseOf(rollout)?.stage === 'SCALE_UP') moments.push(rollout.since + stageLimitMs)
  const ahead = moments.filter((moment) => moment > now && Number.isFinite(moment))
  return ahead.length > 0 ? Math.min(...ahead) : undefined
}

/** Resolves a pause, or returns an error message. */
export function answerHook(
  rollout: Rollout,
  hookId: string,
  action: 'CONTINUE' | 'ROLLBACK',
  now: number,
): Rollout | string {
  if (rollout.status !== 'IN_PROGRESS') return `The service deployment is in status ${rollout.status}, not IN_PROGRESS.`
  const hook = rollout.hooks.find((candidate) => candidate.hookId === hookId)
  if (!hook) return `The service deployment has no lifecycle hook ${hookId}.`
  if (!isAwaiting(hook)) return `The lifecycle hook ${hookId} is in status ${hook.status}, not AWAITING_ACTION.`
  if (action === 'CONTINUE') return withHook(rollout, hookId, 'SUCCEEDED')
  const reason = 'Service deployment rolled back because a lifecycle hook was answered with ROLLBACK.'
  return requestRollback(withHook(rollout, hookId, 'FAILED'), reason, now)
}

/** Requests a rollback by a user. Ignored if the deployment is already stopping or rolling back. */
export function requestRollback(rollout: Rollout, rollbackReason: string, now: number): Rollout {
  if (rollout.status !== 'PENDING' && rollout.status !== 'IN_PROGRESS') return rollout
  return { ...closeHooks(rollout), status: 'ROLLBACK_REQUESTED', rollbackReason, since: now }
}

/** Requests that a deployment stops, for a newer deployment or a user. A rollback is not interrupted. */
export function requestStop(rollout: Rollout, statusReason: string, now: number): Rollout {
  if (rollout.status !== 'PENDING' && rollout.status !== 'IN_PROGRESS') return rollout
  return { ...closeHooks(rollout), status: 'STOP_REQUESTED', statusReason, since: now }
}

const isAwaiting = (hook: Hook) => hook.status === 'AWAITING_ACTION'
const requestIsDue = ({ since }: Rollout, { now, pace }: RolloutFacts) => now >= since + pace.requestSeconds * 1000

const withHook = (rollout: Rollout, hookId: string, status: Hook['status']): Rollout => ({
  ...rollout,
  hooks: rollout.hooks.map((hook) => (hook.hookId === hookId ? { ...hook, status } : hook)),
})

/** Closes open pauses when a deployment leaves IN_PROGRESS. */
const closeHooks = (rollout: Rollout): Rollout => ({
  ...rollout,
  hooks: rollout.hooks.map((hook) => (isAwaiting(hook) ? { ...hook, status: 'FAILED' } : hook)),
})

function begin(rollout: Rollout, facts: RolloutFacts): Rollout {
  const phases = forwardPhases(facts.configuration, facts.hasStrays, facts.alarmBakeMinutes)
  return enter({ ...rollout, status: 'IN_PROGRESS', phases }, 0, facts)
}

function enter(rollout: Rollout, at: number, facts: RolloutFacts): Rollout {
  const visit = rollout.visit + 1
  const stage = rollout.phases[at]?.stage
  const configured = (facts.configuration.lifecycleHooks ?? []).filter((hook) => isAt(hook, stage))
  const opened = configured.flatMap((hook) => (stage ? [openHook(hook, stage, visit, facts)] : []))
  return { ...rollout, at, visit, since: facts.now, hooks: [...rollout.hooks, ...opened] }
}

const isAt = ({ lifecycleStages }: DeploymentLifecycleHook, stage: string | undefined) =>
  (lifecycleStages ?? []).some((candidate) => candidate === stage)

/** Opens a hook. An existing Lambda function succeeds at once, because the simulator does not run it. */
function openHook(hook: DeploymentLifecycleHook, stage: Stage, visit: number, facts: RolloutFacts): Hook {
  const { timeoutInMinutes = 1440, action = 'ROLLBACK' } = hook.timeoutConfiguration ?? {}
  const isPause = hook.targetType === 'PAUSE'
  return {
    hookId: facts.newHookId(),
    targetType: isPause ? 'PAUSE' : 'AWS_LAMBDA',
    targetArn: isPause ? undefined : hook.hookTargetArn,
    stage,
    visit,
    status: isPause ? 'AWAITING_ACTION' : facts.isFunction(hook.hookTargetArn) ? 'SUCCEEDED' : 'FAILED',
    expiresAt: facts.now + timeoutInMinutes * minuteMs,
    timeoutAction: action,
  }
}

function timeOutHook(rollout: Rollout, facts: RolloutFacts): Rollout | undefined {
  const late = rollout.hooks.find((hook) => isAwaiting(hook) && (hook.expiresAt ?? 0) <= facts.now)
  if (!late) return undefined
  const timedOut = withHook(rollout, late.hookId, 'TIMED_OUT')
  if (late.timeoutAction === 'CONTINUE') return timedOut
  return turnBack(timedOut, 'Service deployment rolled back because a lifecycle hook timed out.', facts)
}

/** Fails the deployment after a failed Lambda hook. Failed pauses have already caused a rollback. */
function failWithHook(rollout: Rollout, facts: RolloutFacts): Rollout | undefined {
  const isFailed = ({ visit, targetType, status }: Hook) =>
    visit === rollout.visit && targetType === 'AWS_LAMBDA' && status === 'FAILED'
  if (!rollout.hooks.some(isFailed)) return undefined
  return turnBack(rollout, 'Service deployment rolled back because a lifecycle hook failed.', facts)
}

function fail(rollout: Rollout, facts: RolloutFacts): Rollout | undefined {
  if (facts.failure?.rollback) return turnBack(rollout, facts.failure.reason, facts)
  if (facts.failure) return { ...closeHooks(rollout), status: 'STOPPED', statusReason: facts.failure.reason }
  if (phaseOf(rollout)?.stage !== 'SCALE_UP' || facts.now < rollout.since + stageLimitMs) return undefined
  return turnBack(rollout, 'Service deployment rolled back because lifecycle stage SCALE_UP timed out.', facts)
}

function turnBack(rollout: Rollout, rollbackReason: string, facts: RolloutFacts): Rollout {
  const phases = backwardPhases(rollout.strategy, weightsOf(rollout))
  const turned: Rollout = { ...closeHooks(rollout), phases, direction: 'back', rollbackReason }
  return enter({ ...turned, status: 'ROLLBACK_IN_PROGRESS', statusReason: rollbackReason }, 0, facts)
}

function continueRollout(rollout: Rollout, facts: RolloutFacts): Rollout | undefined {
  if (rollout.hooks.some((hook) => hook.visit === rollout.visit && isAwaiting(hook))) return undefined
  if (!phaseIsOver(rollout, facts)) return undefined
  if (rollout.at + 1 < rollout.phases.length) return enter(rollout, rollout.at + 1, facts)
  if (rollout.direction === 'forward') return { ...rollout, status: 'SUCCESSFUL', statusReason: undefined }
  return { ...rollout, status: facts.hasBase ? 'ROLLBACK_SUCCESSFUL' : 'ROLLBACK_FAILED' }
}

function phaseIsOver(rollout: Rollout, facts: RolloutFacts): boolean {
  if (facts.now < rollout.since + lengthMs(rollout, facts.pace)) return false
  const isBack = rollout.direction === 'back'
  switch (phaseOf(rollout)?.stage) {
    case 'RECONCILE_SERVICE':
      return !facts.hasStrays
    case 'SCALE_UP':
      return facts.targetIsUp
    case 'CLEAN_UP':
      return isBack ? facts.targetIsGone : facts.othersAreGone
    case 'REPLACE_TASKS':
      return isBack ? facts.targetIsGone && (facts.baseIsUp || !facts.hasBase) : facts.targetIsUp && facts.othersAreGone
    default:
      return true
  }
}

/** Returns the minimum duration of the current phase, in milliseconds. */
function lengthMs(rollout: Rollout, pace: TransitionTiming): number {
  const phase = phaseOf(rollout)
  switch (phase?.stage) {
    case 'TEST_TRAFFIC_SHIFT':
    case 'PRODUCTION_TRAFFIC_SHIFT':
      return pace.trafficShiftSeconds * 1000 + phase.bakeMinutes * minuteMs
    case 'BAKE_TIME':
      return phase.bakeMinutes * minuteMs
    case 'SCALE_UP':
    case 'CLEAN_UP':
    case 'REPLACE_TASKS':
      return 0
    default:
      return pace.stageSeconds * 1000
  }
}
