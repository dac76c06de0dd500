import type { ElbListenerState, ServiceRevision, TaskDefinitionRecord } from '@sluice/contract'
import { Equal } from 'typebox/value'
import {
  type Diagnosis,
  type HookSnapshot,
  type RuleTraffic,
  type ServiceDeploymentSnapshot,
  trafficPhaseOf,
} from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { withAnalysesAt } from '../../analysis/state.ts'
import { backOff } from '../../execution/attempts.ts'
import { answerHook, continuedMessage, holdDeadline } from '../../execution/pauses.ts'
import type { Hook, HookAnswer } from '../../execution/progress.ts'
import { continueNow, finish, later, type PollPace, pollAfter, setStatus } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import { watchpointOf } from './analysis.ts'
import {
  explainTimeout,
  failureOf,
  finishedBeforeStop,
  isUnexplainedTimeout,
  notRolledBack,
  stoppedExternally,
} from './failures.ts'
import { ruleWarning } from './listener-rules.ts'
import { workingMs } from './machine.ts'
import { onRevertObserved } from './revert.ts'
import type { EcsState } from './state.ts'
import { successMessage } from './success-message.ts'
import { abandoned, failed, isBaking, note, reach, stepReached, trackOf } from './track.ts'

/** Result of one poll of the release. */
export type Observation = {
  snapshot: ServiceDeploymentSnapshot
  /** Listener rules of the service, read if traffic may have moved. */
  listeners?: ElbListenerState[]
  /** Whether the listener rules should have been read but could not be. */
  hasMissedListeners?: boolean
  /** Targets of the production listener rules, read after a shift. */
  rules?: RuleTraffic[]
  /** Previous task definition, if it could not be read at the start. */
  previous?: TaskDefinitionRecord
  /** Diagnosis, read when the cloud gives up the release. */
  diagnosis?: Diagnosis
  /** Whether an event of the cloud caused the poll. */
  isTold?: boolean
}

const rollingBack = ['ROLLBACK_REQUESTED', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_SUCCESSFUL', 'ROLLBACK_FAILED']
const givenUp = [...rollingBack, 'STOPPED']

/** Reports whether this observation is the first one after a failure, so that the caller collects diagnostic data. */
export const needsDiagnosis = ({ error }: EcsState, { state }: ServiceDeploymentSnapshot): boolean =>
  error === null ? givenUp.includes(state.status) : isUnexplainedTimeout(error)

/** Reports whether traffic may have moved since the last observation, so that the caller reads the listeners. */
export function trafficMayHaveMoved(deployment: EcsState, { state }: ServiceDeploymentSnapshot): boolean {
  const before = deployment.data.serviceDeploymentState
  const weights = (revision?: ServiceRevision) =>
    `${revision?.requestedProductionTrafficWeight} ${revision?.requestedTestTrafficWeight}`
  return (
    deployment.data.elbListenerState === undefined ||
    deployment.progress.hasMissedListeners === true ||
    before?.status !== state.status ||
    weights(before.targetServiceRevision) !== weights(state.targetServiceRevision)
  )
}

/**
 * Number of unchanged polls that a poll counts as if an event caused it. The next change usually comes with an event,
 * so that polling only replaces lost events.
 */
const quietPerEvent = 3

/** Applies the observed state: pauses, the reached step, and the end of the release. */
export function onObserved(deployment: EcsState, observation: Observation, pace: PollPace, now: Date): EcsState {
  const { snapshot, listeners, hasMissedListeners = false, previous, diagnosis, isTold } = observation
  if (deployment.progress.isReverting) return onRevertObserved(deployment, snapshot, pace, now)
  const isSurprise = !isTold && differs(deployment, snapshot)
  const { error } = deployment
  const seen: EcsState = {
    ...deployment,
    error: error && diagnosis && isUnexplainedTimeout(error) ? explainTimeout(error, snapshot, diagnosis) : error,
    data: {
      ...deployment.data,
      ...present({
        serviceDeploymentState: snapshot.state,
        elbListenerState: listeners,
        previousTaskDefinition: previous,
      }),
      ...revertOf(deployment, snapshot),
    },
    progress: {
      ...deployment.progress,
      troubles: 0,
      quiet: isSurprise ? 0 : deployment.progress.quiet + (isTold ? quietPerEvent : 1),
      hasMissedListeners,
    },
  }
  const stepped = seen.status === 'IN_PROGRESS' ? recordSteps(seen, snapshot, now) : seen
  const placed = recordPauses(stepped, observation, now)
  const then = applyStatus(recordRuleWarning(placed, observation, now), observation, pace, now)
  return withAnalysesAt(then, watchpointOf(then), now)
}

/** Returns how the cloud reverts a release that Sluice rolled back: within the same service deployment. */
function revertOf({ data }: EcsState, { state, returnsTo }: ServiceDeploymentSnapshot) {
  if (data.revertRequestedAt === undefined || !rollingBack.includes(state.status)) return {}
  return present({
    revertServiceDeploymentArn: state.serviceDeploymentArn,
    revertExternalDeploymentId: returnsTo ?? data.revertExternalDeploymentId,
  })
}

/**
 * Reports whether the observed state differs from the stored one. Compares values, because the database changes the
 * order of members.
 */
function differs(deployment: EcsState, { state, hooks }: ServiceDeploymentSnapshot): boolean {
  const { observedAt: _, ...before } = deployment.data.serviceDeploymentState ?? { observedAt: '' }
  const { observedAt: __, ...after } = state
  const open = deployment.progress.hooks.filter((hook) => hook.state !== 'answered').map((hook) => hook.hookId)
  const awaiting = hooks.filter((hook) => hook.status === 'AWAITING_ACTION').map((hook) => hook.hookId)
  return !Equal([before, open], [after, awaiting])
}

/** Records the steps that the release has reached, each once. */
function recordSteps(deployment: EcsState, snapshot: ServiceDeploymentSnapshot, now: Date): EcsState {
  const { state } = snapshot
  if (state.status !== 'IN_PROGRESS') return deployment
  const { lifecycleStage, trafficPhase, targetServiceRevision: revision } = state
  const stage = isBaking(deployment.release, snapshot) ? 'BAKE_TIME' : lifecycleStage
  const number = stepReached(deployment, stage, revision?.requestedProductionTrafficWeight ?? 0)
  const desiredCount = revision?.requestedTaskCount
  return number === undefined
    ? deployment
    : reach(deployment, number, now, present({ lifecycleStage, trafficPhase, desiredCount }))
}

/** Records every pause that began or ended, including those that did both since the last poll. */
function recordPauses(deployment: EcsState, observation: Observation, now: Date): EcsState {
  const { snapshot } = observation
  const begun = snapshot.hooks.reduce((so, hook) => recordPauseStart(so, hook, observation, now), deployment)
  const ended = begun.progress.hooks.reduce(
    (so, hook) => (hook.state === 'answered' ? so : recordPauseEnd(so, hook, snapshot, now)),
    begun,
  )
  return holdDeadline(ended, now, latestBakeEnd(ended, snapshot))
}

/**
 * Maximum evaluation period of alarms ("PutMetricAlarm" in the API reference, read 2026-11): 7 days, in milliseconds.
 */
const maxAlarmBakeMs = 7 * 86_400_000

/**
 * Returns the latest time at which the alarms of a baking rolling release must have decided; undefined for other
 * releases.
 */
function latestBakeEnd({ release, startedAt }: EcsState, snapshot: ServiceDeploymentSnapshot): Date | undefined {
  if (!startedAt || !isBaking(release, snapshot)) return undefined
  return later(startedAt, workingMs(release) + maxAlarmBakeMs)
}

function recordPauseStart(
  deployment: EcsState,
  hook: HookSnapshot,
  { snapshot: { state }, isTold }: Observation,
  now: Date,
): EcsState {
  if (deployment.progress.hooks.some(({ hookId }) => hookId === hook.hookId)) return deployment
  const { hookId, lifecycleStage, timeoutAction, expiresAt } = hook
  const known: Hook = present({
    hookId,
    lifecycleStage,
    timeoutAction,
    expiresAt,
    state: 'waiting' as const,
    isTold: isTold || undefined,
  })
  const weight = state.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  const then = timeoutAction === 'CONTINUE' ? 'continues automatically' : 'is rolled back'
  const until = expiresAt ? ` until ${expiresAt}, when the release ${then}` : ''
  const message = `Paused${lifecycleStage ? ` at ${lifecycleStage}` : ''}${until}.`
  const trafficPhase = trafficPhaseOf(lifecycleStage, weight)
  const noted = note(deployment, 'PAUSED', now, present({ hookId, lifecycleStage, trafficPhase, message }))
  return { ...noted, progress: { ...noted.progress, hooks: [...noted.progress.hooks, known] } }
}

const answers: Record<string, HookAnswer> = { SUCCEEDED: 'CONTINUE', FAILED: 'ROLLBACK', TIMED_OUT: 'TIMED_OUT' }

function recordPauseEnd(deployment: EcsState, hook: Hook, { hooks }: ServiceDeploymentSnapshot, now: Date): EcsState {
  const reading = hooks.find(({ hookId }) => hookId === hook.hookId)
  const answer = reading ? answers[reading.status] : 'GONE'
  if (answer === undefined) return deployment
  const answered = answerHook(deployment, hook.hookId, answer)
  const goesOn =
    answer === 'CONTINUE' || answer === 'GONE' || (answer === 'TIMED_OUT' && hook.timeoutAction === 'CONTINUE')
  if (!goesOn) return answered
  const message = hook.state === 'continuing' && answer !== 'TIMED_OUT' ? continuedMessage(hook) : endings[answer]
  const { hookId, lifecycleStage } = hook
  return note(answered, 'CONTINUED', now, present({ hookId, lifecycleStage, message }))
}

const endings: Record<HookAnswer, string> = {
  CONTINUE: 'Continued from outside.',
  ROLLBACK: 'Rolled back.',
  TIMED_OUT: 'Continued because the time to decide was over.',
  GONE: 'The cloud no longer waits here.',
}

/** Records that the cloud received the decision about a pause. */
export function onPauseContinued(deployment: EcsState, hookId: string, now: Date): EcsState {
  const hook = deployment.progress.hooks.find((one) => one.hookId === hookId)
  if (hook?.state !== 'continuing') return deployment
  const answered = holdDeadline(answerHook(deployment, hookId, 'CONTINUE'), now)
  const { lifecycleStage } = hook
  const noted = note(answered, 'CONTINUED', now, present({ hookId, lifecycleStage, message: continuedMessage(hook) }))
  const fresh = { ...noted, progress: { ...noted.progress, troubles: 0, quiet: 0 } }
  return continueNow(fresh, now, 'the cloud to go on')
}

/** Reports once that a production listener rule does not route as the release requested. */
function recordRuleWarning(deployment: EcsState, { rules, snapshot }: Observation, now: Date): EcsState {
  const message = rules && ruleWarning(deployment, snapshot.state, rules)
  if (message === undefined) return deployment
  const reported = { ...deployment, progress: { ...deployment.progress, hasReportedRule: true } }
  return note(reported, 'WARNING', now, { message })
}

function applyStatus(deployment: EcsState, observation: Observation, pace: PollPace, now: Date): EcsState {
  const { snapshot, diagnosis } = observation
  const isRollingBack = deployment.status === 'ROLLING_BACK'
  const { status } = snapshot.state
  if (!isRollingBack && rollingBack.includes(status)) {
    // Also if the rollback has ended already: a deployment passes through ROLLING_BACK, and the next poll ends it.
    return rollBackBegan(deployment, failureOf(deployment, snapshot, diagnosis), now)
  }
  switch (status) {
    case 'SUCCESSFUL':
      return isRollingBack ? failed(deployment, finishedBeforeStop(), now) : endSuccessful(deployment, now)
    case 'ROLLBACK_SUCCESSFUL':
      return finish(
        note(deployment, 'ROLLED_BACK', now, { message: 'The version before runs again.' }),
        'ROLLED_BACK',
        now,
      )
    case 'ROLLBACK_FAILED':
      return failed(deployment, notRolledBack(deployment, snapshot.state.statusReason ?? snapshot.rollbackReason), now)
    case 'STOPPED':
      return endStopped(deployment, observation, now)
    default:
      return poll(deployment, pace, now)
  }
}

function rollBackBegan(deployment: EcsState, error: NonNullable<EcsState['error']>, now: Date): EcsState {
  const { remainingMs: _, ...progress } = deployment.progress
  const rolling = {
    ...setStatus(deployment, 'ROLLING_BACK'),
    error,
    progress,
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
  }
  return continueNow(note(rolling, 'ROLLBACK_STARTED', now, { message: error.message }), now, 'the cloud to roll back')
}

function endSuccessful(deployment: EcsState, now: Date): EcsState {
  const end = trackOf(deployment.release, deployment.progress).length
  if (deployment.release.postDeploy) return goTo(reach(deployment, end - 2, now), 'post-deploy', now)
  return finish(reach(deployment, end, now, { message: successMessage(deployment) }), 'SUCCESS', now)
}

/** Ends a deployment that the cloud stopped without a rollback. */
function endStopped(deployment: EcsState, { snapshot, diagnosis }: Observation, now: Date): EcsState {
  const hasFailed = snapshot.breaker?.status === 'TRIGGERED' || snapshot.alarms?.status === 'TRIGGERED'
  if (hasFailed) return failed(deployment, failureOf(deployment, snapshot, diagnosis), now)
  const error = stoppedExternally(deployment, snapshot)
  if (deployment.status === 'ROLLING_BACK') return failed(deployment, error, now)
  return abandoned(deployment, error, now)
}

/**
 * Factor by which a pause that an event reported is polled less often, because an event will also report its end. It is
 * still polled, because the cloud does not guarantee such events ("Delivery level for AWS service events" in
 * EventBridge's reference).
 */
const eventPollFactor = 12

/** Waits for an event of the cloud, or for the next poll. */
function poll(deployment: EcsState, pace: PollPace, now: Date): EcsState {
  const pending = deployment.progress.hooks.find((hook) => hook.state === 'waiting')
  const times = deployment.progress.quiet + 1
  if (deployment.status !== 'IN_PROGRESS' || !pending) {
    return pollAfter(deployment, now, backOff(pace.minMs, pace.maxMs, times), 'the cloud to execute the release')
  }
  // Polls again just after the pause ends by itself, when the cloud has acted on it.
  const toEnd = pending.expiresAt ? Math.max(0, Date.parse(pending.expiresAt) - now.getTime()) + pace.minMs : Infinity
  const most = Math.max(pace.pausedMaxMs * (pending.isTold ? eventPollFactor : 1), pace.crowdMs)
  const ms = Math.min(toEnd, backOff(pace.minMs, most, times))
  return pollAfter(deployment, now, ms, `a person to continue the pause ${pending.hookId}`)
}
