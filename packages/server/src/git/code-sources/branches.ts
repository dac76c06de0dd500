import type { Db } from '../../platform/db/open.ts'
import { askRepository } from './ask.ts'
import type { OpenParts } from './open.ts'
import type { CodeSourceRow } from './tables.ts'

/**
 * Lists the branch names of a connected repository in alphabetical order. @throws {ApiError} if the host does not
 * respond or denies access
 */
export const branchesOf = (db: Db, parts: OpenParts, source: CodeSourceRow): Promise<string[]> =>
  askRepository(db, parts, source, (repository) => repository.branches())
