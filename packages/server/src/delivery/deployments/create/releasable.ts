import { saidBy } from '../../../platform/db/violations.ts'
import { Refusal } from '../../../platform/http/refusal.ts'

/** The trigger that looks at what a new deployment releases, so that no removal comes between. */
const rule = 'release_what_is_there'

/** @throws {Refusal} where the deployment that is stored would release what was removed */
export async function releasable<T>(insert: PromiseLike<T>): Promise<T> {
  try {
    return await insert
  } catch (error) {
    const said = saidBy(error, rule) as { place: string; since: string } | undefined
    if (!said) throw error
    const message = `It would release ${said.place}, which retention removed: nothing needed it any more. Build it again.`
    throw new Refusal('artifactRemoved', message, { metadata: { removedAt: new Date(said.since).toISOString() } })
  }
}
