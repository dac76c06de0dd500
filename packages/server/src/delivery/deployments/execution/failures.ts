import { failures, type UserFacingError } from '@sluice/contract'

/** Returns the error of a queued deployment that another user's deployment superseded. */
export function superseded(by: { id: string; triggeredBy: string }): UserFacingError {
  return {
    code: failures.superseded.code,
    message: `The deployment ${by.id}, which ${by.triggeredBy} started, superseded it in the queue.`,
    description: 'A module decides how many deployments may wait: deploy.concurrency in its version.',
    metadata: { supersededByDeploymentId: by.id, supersededBy: by.triggeredBy },
  }
}

/** Returns the error of a deployment that did not start before its queue timeout. */
export function queueTimedOut(): UserFacingError {
  return {
    code: failures.queueTimedOut.code,
    message: 'The deployment before it did not end in time, so its turn never came.',
    description: 'Check the other deployments of the module instance, then deploy again.',
  }
}

/** Returns the error of a deployment that an approver rejected. */
export function rejectedBy(name: string, comment: string | undefined): UserFacingError {
  return {
    code: failures.releaseRejected.code,
    message: `${name} turned the release down${comment === undefined ? '.' : `: ${comment}`}`,
    metadata: { rejectedBy: name },
  }
}

/** Returns the error of a deployment that a user cancelled. */
export function cancelledBy(name: string): UserFacingError {
  return {
    code: failures.cancelled.code,
    message: `${name} cancelled the deployment.`,
    description: 'If the new version had begun to run, the version before was put back.',
    metadata: { cancelledBy: name },
  }
}

/** Returns the error of a deployment that a user rolled back while it was active. */
export function rolledBackOnRequest(requestedBy: string, rollback: { id: string; to: string }): UserFacingError {
  return {
    code: failures.rolledBackOnRequest.code,
    message: `${requestedBy} asked to return to the release of ${rollback.to}.`,
    description: `The deployment ${rollback.id} sees to it that this release runs again.`,
    metadata: { requestedBy, rollbackDeploymentId: rollback.id, rollbackToDeploymentId: rollback.to },
  }
}

/** Returns the error of a rollback whose target became newer than the live release while it was queued. */
export function rollbackOvertaken({ to, live }: { to: string; live: string }): UserFacingError {
  return {
    code: failures.rollbackOvertaken.code,
    message: `Since it was requested, ${live} has put an older release in place than the one of ${to}.`,
    description: `To release the newer one, deploy it again: POST /deployments/${to}/redeploy.`,
    metadata: { toDeploymentId: to, liveDeploymentId: live },
  }
}

/**
 * Returns the error of a deployment to a resource that another module instance releases. Does not name an instance of a
 * restricted environment.
 */
export function resourceTaken(
  resource: string,
  owner: { id: string; givenId: string; isHidden: boolean },
): UserFacingError {
  const named = owner.isHidden ? 'Another module instance' : `The module instance ${owner.givenId} (${owner.id})`
  return {
    code: failures.resourceTaken.code,
    message: `${named} releases ${resource}. A release from here would bypass its release gates.`,
    description: 'Deploy that instance instead. To release the resource from here, delete that instance first.',
    ...(owner.isHidden ? {} : { metadata: { moduleInstanceId: owner.id } }),
  }
}

/** Returns the error of a deployment for which the cloud permanently rejected a request. */
export function refusedByCloud(step: string, rejection: { name: string; message: string }): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The cloud refused to ${step}: ${rejection.message}`,
    details: [
      { title: "The cloud's answer", render: 'object', object: { error: rejection.name, reason: rejection.message } },
    ],
  }
}
