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
import { watchedAt } from '../../analysis/standing.ts'
import { backOff } from '../../execution/attempts.ts'
import { answerHook, continuedMessage, holdDeadline } from '../../execution/pauses.ts'
import type { Hook, HookAnswer } from '../../execution/progress.ts'
import { finish, goOn, later, move, type PollPace, wait } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import { watchpointOf } from './analysis.ts'
import {
  explainTimeout,
  failureOf,
  finishedBeforeStop,
  isUnexplainedTimeout,
  notRolledBack,
  stoppedOutside,
} from './failures.ts'
import { ruleWarning } from './listener-rules.ts'
import { workingMs } from './machine.ts'
import { revertSeen } from './revert.ts'
import type { EcsStanding } from './state.ts'
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
export const needsDiagnosis = ({ error }: EcsStanding, { state }: ServiceDeploymentSnapshot): boolean =>
  error === null ? givenUp.includes(state.status) : isUnexplainedTimeout(error)

/** Reports whether traffic may have moved since the last observation, so that the caller reads the listeners. */
export function trafficMayHaveMoved(standing: EcsStanding, { state }: ServiceDeploymentSnapshot): boolean {
  const before = standing.data.serviceDeploymentState
  const weights = (revision?: ServiceRevision) =>
    `${revision?.requestedProductionTrafficWeight} ${revision?.requestedTestTrafficWeight}`
  return (
    standing.data.elbListenerState === undefined ||
    standing.progress.hasMissedListeners === true ||
    before?.status !== state.status ||
    weights(before.targetServiceRevision) !== weights(state.targetServiceRevision)
  )
}

/**
 * Number of unchanged polls that a poll counts as if an event caused it. The next change usually comes with an event,
 * so that polling only replaces lost events.
 */
const quietOfTold = 3

/** Applies the observed state: pauses, the reached step, and the end of the release. */
export function observed(standing: EcsStanding, observation: Observation, pace: PollPace, now: Date): EcsStanding {
  const { snapshot, listeners, hasMissedListeners = false, previous, diagnosis, isTold } = observation
  if (standing.progress.isReverting) return revertSeen(standing, snapshot, pace, now)
  const isSurprise = !isTold && differs(standing, snapshot)
  const { error } = standing
  const seen: EcsStanding = {
    ...standing,
    error: error && diagnosis && isUnexplainedTimeout(error) ? explainTimeout(error, snapshot, diagnosis) : error,
    data: {
      ...standing.data,
      ...present({
        serviceDeploymentState: snapshot.state,
        elbListenerState: listeners,
        previousTaskDefinition: previous,
      }),
      ...revertOf(standing, snapshot),
    },
    progress: {
      ...standing.progress,
      troubles: 0,
      quiet: isSurprise ? 0 : standing.progress.quiet + (isTold ? quietOfTold : 1),
      hasMissedListeners,
    },
  }
  const stepped = seen.status === 'IN_PROGRESS' ? takeInStep(seen, snapshot, now) : seen
  const placed = takeInPauses(stepped, observation, now)
  const then = takeInStatus(takeInRules(placed, observation, now), observation, pace, now)
  return watchedAt(then, watchpointOf(then), now)
}

/** Returns how the cloud reverts a release that Sluice rolled back: within the same service deployment. */
function revertOf({ data }: EcsStanding, { state, returnsTo }: ServiceDeploymentSnapshot) {
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
function differs(standing: EcsStanding, { state, hooks }: ServiceDeploymentSnapshot): boolean {
  const { observedAt: _, ...before } = standing.data.serviceDeploymentState ?? { observedAt: '' }
  const { observedAt: __, ...after } = state
  const open = standing.progress.hooks.filter((hook) => hook.state !== 'answered').map((hook) => hook.hookId)
  const awaiting = hooks.filter((hook) => hook.status === 'AWAITING_ACTION').map((hook) => hook.hookId)
  return !Equal([before, open], [after, awaiting])
}

/** Records the steps that the release has reached, each once. */
function takeInStep(standing: EcsStanding, snapshot: ServiceDeploymentSnapshot, now: Date): EcsStanding {
  const { state } = snapshot
  if (state.status !== 'IN_PROGRESS') return standing
  const { lifecycleStage, trafficPhase, targetServiceRevision: revision } = state
  const stage = isBaking(standing.release, snapshot) ? 'BAKE_TIME' : lifecycleStage
  const number = stepReached(standing.release, stage, revision?.requestedProductionTrafficWeight ?? 0)
  const desiredCount = revision?.requestedTaskCount
  return number === undefined
    ? standing
    : reach(standing, number, now, present({ lifecycleStage, trafficPhase, desiredCount }))
}

/** Records every pause that began or ended, including those that did both since the last poll. */
function takeInPauses(standing: EcsStanding, observation: Observation, now: Date): EcsStanding {
  const { snapshot } = observation
  const begun = snapshot.hooks.reduce((so, hook) => takeInBegun(so, hook, observation, now), standing)
  const ended = begun.progress.hooks.reduce(
    (so, hook) => (hook.state === 'answered' ? so : takeInEnded(so, hook, snapshot, now)),
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
function latestBakeEnd({ release, startedAt }: EcsStanding, snapshot: ServiceDeploymentSnapshot): Date | undefined {
  if (!startedAt || !isBaking(release, snapshot)) return undefined
  return later(startedAt, workingMs(release) + maxAlarmBakeMs)
}

function takeInBegun(
  standing: EcsStanding,
  hook: HookSnapshot,
  { snapshot: { state }, isTold }: Observation,
  now: Date,
): EcsStanding {
  if (standing.progress.hooks.some(({ hookId }) => hookId === hook.hookId)) return standing
  const { hookId, lifecycleStage, timeoutAction, expiresAt } = hook
  const known: Hook = present({
    ...{ hookId, lifecycleStage, timeoutAction, expiresAt, state: 'waiting' as const },
    isTold: isTold || undefined,
  })
  const weight = state.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  const then = timeoutAction === 'CONTINUE' ? 'continues by itself' : 'is rolled back'
  const until = expiresAt ? ` until ${expiresAt}, when the release ${then}` : ''
  const message = `Paused${lifecycleStage ? ` at ${lifecycleStage}` : ''}${until}.`
  const trafficPhase = trafficPhaseOf(lifecycleStage, weight)
  const noted = note(standing, 'PAUSED', now, present({ hookId, lifecycleStage, trafficPhase, message }))
  return { ...noted, progress: { ...noted.progress, hooks: [...noted.progress.hooks, known] } }
}

const answers: Record<string, HookAnswer> = { SUCCEEDED: 'CONTINUE', FAILED: 'ROLLBACK', TIMED_OUT: 'TIMED_OUT' }

function takeInEnded(standing: EcsStanding, hook: Hook, { hooks }: ServiceDeploymentSnapshot, now: Date): EcsStanding {
  const reading = hooks.find(({ hookId }) => hookId === hook.hookId)
  const answer = reading ? answers[reading.status] : 'GONE'
  if (answer === undefined) return standing
  const answered = answerHook(standing, hook.hookId, answer)
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
export function continued(standing: EcsStanding, hookId: string, now: Date): EcsStanding {
  const hook = standing.progress.hooks.find((one) => one.hookId === hookId)
  if (hook?.state !== 'continuing') return standing
  const answered = holdDeadline(answerHook(standing, hookId, 'CONTINUE'), now)
  const { lifecycleStage } = hook
  const noted = note(answered, 'CONTINUED', now, present({ hookId, lifecycleStage, message: continuedMessage(hook) }))
  const fresh = { ...noted, progress: { ...noted.progress, troubles: 0, quiet: 0 } }
  return goOn(fresh, now, 'the cloud to go on')
}

/** Reports once that a production listener rule does not route as the release requested. */
function takeInRules(standing: EcsStanding, { rules, snapshot }: Observation, now: Date): EcsStanding {
  const message = rules && ruleWarning(standing, snapshot.state, rules)
  if (message === undefined) return standing
  const reported = { ...standing, progress: { ...standing.progress, hasReportedRule: true } }
  return note(reported, 'WARNING', now, { message })
}

function takeInStatus(standing: EcsStanding, observation: Observation, pace: PollPace, now: Date): EcsStanding {
  const { snapshot, diagnosis } = observation
  const isRollingBack = standing.status === 'ROLLING_BACK'
  const { status } = snapshot.state
  if (!isRollingBack && rollingBack.includes(status)) {
    // Also if the rollback has ended already: a deployment passes through ROLLING_BACK, and the next poll ends it.
    return rollBackBegan(standing, failureOf(standing, snapshot, diagnosis), now)
  }
  switch (status) {
    case 'SUCCESSFUL':
      return isRollingBack ? failed(standing, finishedBeforeStop(), now) : succeeded(standing, now)
    case 'ROLLBACK_SUCCESSFUL':
      return finish(
        note(standing, 'ROLLED_BACK', now, { message: 'The version before runs again.' }),
        'ROLLED_BACK',
        now,
      )
    case 'ROLLBACK_FAILED':
      return failed(standing, notRolledBack(standing, snapshot.state.statusReason ?? snapshot.rollbackReason), now)
    case 'STOPPED':
      return stopped(standing, observation, now)
    default:
      return poll(standing, pace, now)
  }
}

function rollBackBegan(standing: EcsStanding, error: NonNullable<EcsStanding['error']>, now: Date): EcsStanding {
  const { remainingMs: _, ...progress } = standing.progress
  const rolling = {
    ...move(standing, 'ROLLING_BACK'),
    error,
    progress,
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
  }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message: error.message }), now, 'the cloud to roll back')
}

function succeeded(standing: EcsStanding, now: Date): EcsStanding {
  const end = trackOf(standing.release).length
  if (standing.release.postDeploy) return goTo(reach(standing, end - 2, now), 'post-deploy', now)
  return finish(reach(standing, end, now, { message: successMessage(standing) }), 'SUCCESS', now)
}

/** Ends a deployment that the cloud stopped without a rollback. */
function stopped(standing: EcsStanding, { snapshot, diagnosis }: Observation, now: Date): EcsStanding {
  const hasFailed = snapshot.breaker?.status === 'TRIGGERED' || snapshot.alarms?.status === 'TRIGGERED'
  if (hasFailed) return failed(standing, failureOf(standing, snapshot, diagnosis), now)
  const error = stoppedOutside(standing, snapshot)
  if (standing.status === 'ROLLING_BACK') return failed(standing, error, now)
  return abandoned(standing, error, now)
}

/**
 * Factor by which a pause that an event reported is polled less often, because an event will also report its end. It is
 * still polled, because the cloud does not guarantee such events ("Delivery level for AWS service events" in
 * EventBridge's reference).
 */
const moreSeldom = 12

/** Waits for an event of the cloud, or for the next poll. */
function poll(standing: EcsStanding, pace: PollPace, now: Date): EcsStanding {
  const pending = standing.progress.hooks.find((hook) => hook.state === 'waiting')
  const times = standing.progress.quiet + 1
  if (standing.status !== 'IN_PROGRESS' || !pending) {
    return wait(standing, now, backOff(pace.minMs, pace.maxMs, times), 'the cloud to carry out the release')
  }
  // Polls again just after the pause ends by itself, when the cloud has acted on it.
  const toEnd = pending.expiresAt ? Math.max(0, Date.parse(pending.expiresAt) - now.getTime()) + pace.minMs : Infinity
  const most = Math.max(pace.pausedMaxMs * (pending.isTold ? moreSeldom : 1), pace.crowdMs)
  const ms = Math.min(toEnd, backOff(pace.minMs, most, times))
  return wait(standing, now, ms, `a person to continue the pause ${pending.hookId}`)
}
