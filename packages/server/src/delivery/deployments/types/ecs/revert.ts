import type { MissingParts, ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { backOff } from '../../execution/attempts.ts'
import { finish, later, type PollPace, pollAfter } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import { nothingToReturnTo, rollbackFailed } from './failures.ts'
import type { EcsRelease } from './release.ts'
import { revertWarnings } from './service-checks.ts'
import type { EcsState } from './state.ts'
import { failed, note } from './track.ts'

/**
 * Reverts a release that has ended in the cloud, so that the cloud cannot roll it back. Releases the previous version
 * with the same steps as any release, as a part of this deployment.
 */
export function revert(deployment: EcsState, now: Date): EcsState {
  const { primaryBefore, taskDefinitionArn, stop: _, command: __, remainingMs: ___, ...kept } = deployment.progress
  const { isRegisteringAgain: ____, ...progress } = kept // the previous version may have to be registered again as well
  const { externalDeploymentId, data } = deployment
  if (!primaryBefore || !externalDeploymentId || taskDefinitionArn === undefined) {
    return failed(deployment, nothingToReturnTo(deployment.error), now)
  }
  const { serviceDeploymentArn } = data
  const undoing: EcsState = {
    ...deployment,
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
    data: { ...data, revertRequestedAt: now.toISOString() },
    progress: {
      ...progress,
      isReverting: true,
      hooks: [],
      taskDefinitionArn: primaryBefore.taskDefinitionArn,
      primaryBefore: { id: externalDeploymentId, taskDefinitionArn },
      ...(serviceDeploymentArn === undefined ? {} : { newestBefore: serviceDeploymentArn }),
    },
  }
  return goTo(undoing, 'update', now)
}

/** Adds warnings about parts of the previous version that no longer exist. It is restored all the same. */
export const noteMissingParts = (deployment: EcsState, missing: MissingParts, now: Date): EcsState =>
  revertWarnings(missing).reduce((known, message) => note(known, 'WARNING', now, { message }), deployment)

/** Returns a release without commands, pauses and analysis, as reverts and rollbacks use it. */
export function withoutOptionalStages({
  preDeploy: _,
  postDeploy: __,
  analysis: ___,
  ...release
}: EcsRelease): EcsRelease {
  if (release.strategy.type === 'rolling') return release
  return { ...release, strategy: { type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [] } }
}

/** Applies the observed state of a revert's release. */
export function onRevertObserved(
  deployment: EcsState,
  snapshot: ServiceDeploymentSnapshot,
  pace: PollPace,
  now: Date,
): EcsState {
  const { state, rollbackReason } = snapshot
  const quiet = deployment.progress.quiet + 1
  const seen: EcsState = {
    ...deployment,
    data: { ...deployment.data, serviceDeploymentState: state },
    progress: { ...deployment.progress, quiet, troubles: 0 },
  }
  switch (state.status) {
    case 'SUCCESSFUL':
      return finish(note(seen, 'ROLLED_BACK', now, { message: 'The version before runs again.' }), 'ROLLED_BACK', now)
    case 'ROLLBACK_SUCCESSFUL':
    case 'ROLLBACK_FAILED':
    case 'STOPPED':
      return failed(seen, rollbackFailed(seen, state.statusReason ?? rollbackReason), now)
    default:
      return pollAfter(seen, now, backOff(pace.minMs, pace.maxMs, quiet), 'the cloud to put the version before back')
  }
}
