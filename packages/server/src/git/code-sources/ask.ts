import type { Db } from '../../platform/db/open.ts'
import { GitAccessLost, NotInRepository } from '../adapter/errors.ts'
import type { HostedRepository } from '../adapter/host.ts'
import { withApiErrors } from './api-errors.ts'
import { type OpenParts, openRepository } from './open.ts'
import { setAccessLost, setFacts } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

type Read<T> = (repository: HostedRepository) => Promise<T>

/**
 * Calls the host of a connected repository. Stores whether access is lost, and any metadata not yet known. @throws
 * {ApiError} if the host does not respond or denies access
 */
export const askRepository = <T>(db: Db, parts: OpenParts, source: CodeSourceRow, read: Read<T>): Promise<T> =>
  withApiErrors({ name: source.repoName, url: source.repoUrl }, () => ask(db, parts, source, read))

async function ask<T>(db: Db, parts: OpenParts, source: CodeSourceRow, read: Read<T>): Promise<T> {
  try {
    const repository = await openRepository(db, parts, source)
    const found = await read(repository)
    if (source.gitRepositoryId === null) {
      const { defaultBranch = null, ...facts } = await repository.read()
      await setFacts(db, source, { ...facts, defaultBranch })
    }
    if (source.accessLost) await setAccessLost(db, source, false)
    return found
  } catch (error) {
    if (error instanceof GitAccessLost) await setAccessLost(db, source, true)
    throw error
  }
}

/**
 * Wraps a read of a named branch, commit or path. Hosts also respond "not found" for a missing repository, so it checks
 * which of the two is missing. @throws {ApiError} notInRepository
 */
export const readNamed =
  <T>(read: Read<T>): Read<T> =>
  async (repository) => {
    try {
      return await read(repository)
    } catch (error) {
      if (!(error instanceof GitAccessLost && error.isMissing)) throw error
      await repository.read()
      throw new NotInRepository(error.message)
    }
  }
