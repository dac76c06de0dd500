import type { Db } from '../../platform/db/open.ts'
import { GitAccessLost } from '../adapter/errors.ts'
import { type OpenParts, openRepository } from './open.ts'
import { askingHost } from './refuse.ts'
import { setAccessLost, setFacts } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

/**
 * The names of the branches of a connected repository, in alphabetical order.
 * @throws {Refusal} where the host does not answer or does not let us in
 */
export const branchesOf = (db: Db, parts: OpenParts, source: CodeSourceRow): Promise<string[]> =>
  askingHost({ name: source.repoName, url: source.repoUrl }, () => ask(db, parts, source))

/** What the host says is written down: whether it lets us in, and what it could not be asked before. */
async function ask(db: Db, parts: OpenParts, source: CodeSourceRow): Promise<string[]> {
  try {
    const repository = await openRepository(db, parts, source)
    const names = await repository.branches()
    if (source.gitRepositoryId === null) {
      const { defaultBranch = null, ...facts } = await repository.read()
      await setFacts(db, source, { ...facts, defaultBranch })
    }
    if (source.accessLost) await setAccessLost(db, source, false)
    return names
  } catch (error) {
    if (error instanceof GitAccessLost) await setAccessLost(db, source, true)
    throw error
  }
}
