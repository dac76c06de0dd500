import { apiErrors, type UserFacingError } from '@sluice/contract'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'

/** Error for a resource in an account that is not connected. */
export class NotConnected extends Error {
  constructor(named: string) {
    super(`It is in the cloud account ${named}, which is not connected. Connect it first.`)
  }
}

/**
 * Returns the value, or the cloud's error as data, so that a page that polls does not fail. `code` is the error code
 * for permanent errors.
 */
export async function valueOrError<T>(
  code: string,
  look: () => Promise<T>,
): Promise<{ value: T } | { error: UserFacingError }> {
  try {
    return { value: await look() }
  } catch (error) {
    if (error instanceof NotConnected) {
      return { error: { code: apiErrors.cloudAccountNotConnected.code, message: error.message } }
    }
    if (error instanceof CloudPermanentError) {
      return {
        error: { code, message: `The cloud provider did not return it. Its error: ${error.reason}: ${error.message}` },
      }
    }
    if (!(error instanceof CloudTransientError)) throw error
    const message = `The cloud provider cannot be reached. Try again later. Its error: ${error.message}`
    return { error: { code: apiErrors.cloudUnreachable.code, message } }
  }
}
