import type { Change } from '../../../identity/audit-events/record.ts'
import { present } from '../../../platform/present.ts'
import type { TypeDefinition } from '../types/deployment-type.ts'
import { isFinal } from './machine.ts'
import type { Hook } from './progress.ts'
import type { DeploymentState } from './state.ts'

export const resourceType = 'deployment'

/** Decisions that a user, or Sluice itself, can make about an accepted deployment. */
export type DecisionAction =
  | 'deployments.continue'
  | 'deployments.cancel'
  | 'deployments.reject'
  | 'deployments.turn-back'
  | 'deployments.end'

/** Returns the audit log entry of a decision, with the state of the deployment before and after it. */
export function decisionMade(action: DecisionAction, before: DeploymentState, after: DeploymentState): Change {
  const pause = action === 'deployments.continue' ? continuedPause(before, after) : undefined
  const details = present({
    status: after.status,
    hookId: pause?.hookId,
    lifecycleStage: pause?.lifecycleStage,
    ...(pause ? reasonForContinuation(pause) : { reason: after.error?.message }),
  })
  return { action, resourceType, resourceId: after.id, details, before: { status: before.status } }
}

/** Returns how and why a pause ended without a decision in Sluice. */
const reasonForContinuation = ({ answer }: Hook): { answer?: string; reason?: string } => {
  const reason = answer && reasons[answer]
  return reason ? { answer, reason } : {}
}

const reasons: Partial<Record<NonNullable<Hook['answer']>, string>> = {
  TIMED_OUT: 'The time to decide was over.',
  GONE: 'The cloud no longer waited.',
}

/**
 * Returns the decisions that Sluice made by itself in a step, such as after a failed check. A late poll can observe the
 * end of a pause and of the release at once.
 */
export function ownDecisions(before: DeploymentState, after: DeploymentState): DecisionAction[] {
  const turn = rollbackDecision(before, after)
  const goesOn = turn === undefined || after.status === 'SUCCESS'
  const actions: (DecisionAction | undefined)[] = [
    goesOn && continuedPause(before, after) ? 'deployments.continue' : undefined,
    turn,
  ]
  return actions.filter((action) => action !== undefined)
}

/**
 * Reports whether Sluice continues a pause by itself, which gates can block: after its checks, or when it times out and
 * the timeout is not the cloud's.
 */
export function continuesPause(
  before: DeploymentState,
  after: DeploymentState,
  timesOut: TypeDefinition['pausesTimeOut'],
): boolean {
  const pause = continuedPause(before, after)
  return pause?.state === 'continuing' || (timesOut === 'BY_SLUICE' && pause?.answer === 'TIMED_OUT')
}

function rollbackDecision(before: DeploymentState, after: DeploymentState): DecisionAction | undefined {
  if (isFinal(after.status)) return 'deployments.end'
  return after.status === 'ROLLING_BACK' && before.status !== 'ROLLING_BACK' ? 'deployments.turn-back' : undefined
}

/** Returns the pause that the deployment waited in before and that has been continued since. */
function continuedPause(before: DeploymentState, after: DeploymentState): Hook | undefined {
  const waiting = before.progress.hooks.filter(({ state }) => state === 'waiting').map(({ hookId }) => hookId)
  return after.progress.hooks.find((hook) => waiting.includes(hook.hookId) && canContinue(hook))
}

function canContinue({ state, answer, timeoutAction }: Hook): boolean {
  if (state !== 'answered') return state === 'continuing'
  return answer === 'TIMED_OUT' ? timeoutAction === 'CONTINUE' : answer !== 'ROLLBACK'
}
