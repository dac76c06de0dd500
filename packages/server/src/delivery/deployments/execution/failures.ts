import { failures, type UserFacingError } from '@sluice/contract'

/** It gave way in the queue of its module instance to a deployment, which somebody asked for. */
export function superseded(by: { id: string; triggeredBy: string }): UserFacingError {
  return {
    code: failures.superseded.code,
    message: `The deployment ${by.id}, which ${by.triggeredBy} asked for, took its place before its turn came.`,
    description: 'A module decides how many deployments may wait: deploy.concurrency in its version.',
    metadata: { supersededByDeploymentId: by.id, supersededBy: by.triggeredBy },
  }
}

/** Its turn did not come. */
export function queueTimedOut(): UserFacingError {
  return {
    code: failures.queueTimedOut.code,
    message: 'The deployment before it did not end in time, so its turn never came.',
    description: 'Look at the other deployments of the module instance, then deploy again.',
  }
}

/** Somebody who was asked turned it down. */
export function rejectedBy(name: string, comment: string | undefined): UserFacingError {
  return {
    code: failures.releaseRejected.code,
    message: `${name} turned the release down${comment === undefined ? '.' : `: ${comment}`}`,
    metadata: { rejectedBy: name },
  }
}

/** Somebody gave it up. */
export function cancelledBy(name: string): UserFacingError {
  return {
    code: failures.cancelled.code,
    message: `${name} cancelled the deployment.`,
    description: 'If the new version had begun to run, the version before was put back.',
    metadata: { cancelledBy: name },
  }
}

/** A person asked for the release before it while it ran. */
export function rolledBackOnRequest(requestedBy: string, rollback: { id: string; to: string }): UserFacingError {
  return {
    code: failures.rolledBackOnRequest.code,
    message: `${requestedBy} asked to return to the release of ${rollback.to}.`,
    description: `The deployment ${rollback.id} sees to it that this release runs again.`,
    metadata: { requestedBy, rollbackDeploymentId: rollback.id, rollbackToDeploymentId: rollback.to },
  }
}

/** What it was to return to has become the newer release: an older one serves traffic by now. */
export function rollbackOvertaken({ to, live }: { to: string; live: string }): UserFacingError {
  return {
    code: failures.rollbackOvertaken.code,
    message: `Since it was requested, ${live} has put an older release in place than the one of ${to}.`,
    description: `To release the newer one, deploy it again: POST /deployments/${to}/redeploy.`,
    metadata: { toDeploymentId: to, liveDeploymentId: live },
  }
}

/** The cloud said no to a request, for good. */
export function refusedByCloud(step: string, refusal: { name: string; message: string }): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The cloud refused to ${step}: ${refusal.message}`,
    details: [
      { title: "The cloud's answer", render: 'object', object: { error: refusal.name, reason: refusal.message } },
    ],
  }
}
