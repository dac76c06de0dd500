import { ruleViolationDetail } from '../../../platform/db/violations.ts'
import { ApiError } from '../../../platform/http/api-error.ts'

/**
 * Name of the trigger that checks that the artifacts of a new deployment still exist, so that a concurrent removal
 * cannot interfere.
 */
const rule = 'release_what_is_there'

/**
 * Awaits an insert of a deployment.
 * @throws {ApiError} if the deployment would release an artifact that was removed
 */
export async function insertReleasable<T>(insert: PromiseLike<T>): Promise<T> {
  try {
    return await insert
  } catch (error) {
    const said = ruleViolationDetail(error, rule) as { place: string; since: string } | undefined
    if (!said) throw error
    const message = `It would release ${said.place}, which retention removed because it was unused. Build it again.`
    throw new ApiError('artifactRemoved', message, { metadata: { removedAt: new Date(said.since).toISOString() } })
  }
}
