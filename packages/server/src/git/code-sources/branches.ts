import type { Db } from '../../platform/db/open.ts'
import { askRepository } from './ask.ts'
import type { OpenParts } from './open.ts'
import type { CodeSourceRow } from './tables.ts'

/**
 * The names of the branches of a connected repository, in alphabetical order.
 * @throws {Refusal} where the host does not answer or does not let us in
 */
export const branchesOf = (db: Db, parts: OpenParts, source: CodeSourceRow): Promise<string[]> =>
  askRepository(db, parts, source, (repository) => repository.branches())
