import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { backOff } from '../../execution/attempts.ts'
import { finish, later, type PollPace, wait } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import { nothingToReturnTo, rollbackFailed } from './failures.ts'
import type { EcsRelease } from './release.ts'
import type { EcsStanding } from './state.ts'
import { failed, note } from './track.ts'

/**
 * Undoes a release that is over at the cloud, where nothing stands by any more: what ran before is released again, by
 * the same steps as any release and as part of this deployment.
 */
export function revert(standing: EcsStanding, now: Date): EcsStanding {
  const { primaryBefore, taskDefinitionArn, stop: _, command: __, remainingMs: ___, ...kept } = standing.progress
  const { isRegisteringAgain: ____, ...progress } = kept // what ran before may be registered again as well
  const { externalDeploymentId, data } = standing
  if (!primaryBefore || !externalDeploymentId || taskDefinitionArn === undefined) {
    return failed(standing, nothingToReturnTo(standing.error), now)
  }
  const { serviceDeploymentArn } = data
  const undoing: EcsStanding = {
    ...standing,
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
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

/** The release as it is undone, and as a rollback replays it: the shortest way, with nobody to wait for. */
export function withoutDetours({ preDeploy: _, postDeploy: __, analysis: ___, ...release }: EcsRelease): EcsRelease {
  if (release.strategy.type === 'rolling') return release
  return { ...release, strategy: { type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [] } }
}

/** Takes in what the cloud shows of the release of what ran before. */
export function revertSeen(
  standing: EcsStanding,
  snapshot: ServiceDeploymentSnapshot,
  pace: PollPace,
  now: Date,
): EcsStanding {
  const { state, rollbackReason } = snapshot
  const quiet = standing.progress.quiet + 1
  const seen: EcsStanding = {
    ...standing,
    data: { ...standing.data, serviceDeploymentState: state },
    progress: { ...standing.progress, quiet, troubles: 0 },
  }
  switch (state.status) {
    case 'SUCCESSFUL':
      return finish(note(seen, 'ROLLED_BACK', now, { message: 'The version before runs again.' }), 'ROLLED_BACK', now)
    case 'ROLLBACK_SUCCESSFUL':
    case 'ROLLBACK_FAILED':
    case 'STOPPED':
      return failed(seen, rollbackFailed(seen, state.statusReason ?? rollbackReason), now)
    default:
      return wait(seen, now, backOff(pace.minMs, pace.maxMs, quiet), 'the cloud to put the version before back')
  }
}
