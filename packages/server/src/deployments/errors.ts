import { failures, type UserFacingError } from '@sluice/contract'

/** It gave way in the queue of its module instance. */
export function superseded(by: string): UserFacingError {
  return {
    code: failures.superseded.code,
    message: `The deployment ${by} took its place before its turn came.`,
    description: 'A module decides how many deployments may wait: deploy.concurrency in its version.',
    metadata: { supersededByDeploymentId: by },
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
