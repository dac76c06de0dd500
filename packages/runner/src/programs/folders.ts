import { mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Attempt } from '../attempt.ts'

/**
 * Paths of an attempt's folders: see `Attempt`. Names on disk are fixed, because a newer runner resumes older attempts.
 */
export const filesPath = (directory: string): string => join(directory, 'files')
export const inputsPath = (directory: string): string => join(directory, 'given')

const checkpointsPath = (directory: string): string => join(directory, 'notes')
const internalPath = (directory: string): string => join(directory, 'apart')

/** Returns the folder of an attempt and its subfolders. */
export const listAttemptFolders = (directory: string): string[] =>
  [filesPath, inputsPath, checkpointsPath, internalPath].map((folderIn) => folderIn(directory)).concat(directory)

/** Returns the path of a folder, which may not exist yet, and its path without links, which programs see. */
export function resolvePaths(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return [folder, join(realpathSync(dirname(folder)), basename(folder))]
  }
}

/**
 * Returns the other folders of an attempt: see `Attempt`. Each is created on first access, because most steps need
 * none, and creating and removing a folder costs up to a millisecond of processor time.
 */
export const createAttemptFolders = (directory: string): Attempt['folders'] => ({
  get inputs() {
    return ensureFolder(inputsPath(directory), 0o755) // other users read it; its parent folder keeps the rest out
  },
  get checkpoints() {
    return ensureFolder(checkpointsPath(directory))
  },
  get internal() {
    return ensureFolder(internalPath(directory))
  },
})

/** Creates a folder if it does not exist. Synchronous, because that is faster than the thread pool. */
export function ensureFolder(folder: string, mode = 0o700): string {
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return folder
}
