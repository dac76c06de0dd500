import { refusals, type UserFacingError } from '@sluice/contract'
import { CloudRefusal, CloudTrouble } from '../adapter/answer.ts'

/** What is asked for is in an account that no connection leads to. */
export class NotConnected extends Error {
  constructor(named: string) {
    super(`It is in the cloud account ${named}, which is not connected. Connect it first.`)
  }
}

/**
 * What the cloud shows; or, for an answer that has a place for it, why it does not: a page that asks again and again
 * fails no request for it. `code` is that of a no of the cloud's.
 */
export async function shownOrTold<T>(
  code: string,
  look: () => Promise<T>,
): Promise<{ value: T } | { error: UserFacingError }> {
  try {
    return { value: await look() }
  } catch (error) {
    if (error instanceof NotConnected) {
      return { error: { code: refusals.cloudAccountNotConnected.code, message: error.message } }
    }
    if (error instanceof CloudRefusal) {
      return { error: { code, message: `The cloud does not show it. It says: ${error.reason}: ${error.message}` } }
    }
    if (!(error instanceof CloudTrouble)) throw error
    const message = `The cloud cannot be asked now; try again later. It says: ${error.message}`
    return { error: { code: refusals.cloudUnreachable.code, message } }
  }
}
