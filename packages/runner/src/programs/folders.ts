import { mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Attempt } from '../attempt.ts'

/** Where the programs of an attempt work, and what they may read and not change: see `Attempt`. */
export const filesIn = (directory: string): string => join(directory, 'files')
export const givenIn = (directory: string): string => join(directory, 'given')

const notesIn = (directory: string): string => join(directory, 'notes')
const apartIn = (directory: string): string => join(directory, 'apart')

/** Returns the folder of an attempt and all that it is made of. */
export const foldersBelow = (directory: string): string[] =>
  [filesIn, givenIn, notesIn, apartIn].map((folderIn) => folderIn(directory)).concat(directory)

/** Returns the path of a folder, which may not exist yet, and its path without links, which programs see. */
export function pathsOf(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return [folder, join(realpathSync(dirname(folder)), basename(folder))]
  }
}

/**
 * The further folders of an attempt: see `Attempt`. Each is made when it is asked for, since most steps need none of
 * them, and file systems take up to a millisecond of the processor for a folder that is made and removed.
 */
export const furtherFolders = (directory: string): Attempt['folders'] => ({
  get given() {
    return makeFolder(givenIn(directory), 0o755) // for programs of another user; the directory around it is closed
  },
  get notes() {
    return makeFolder(notesIn(directory))
  },
  get apart() {
    return makeFolder(apartIn(directory))
  },
})

/** Makes a folder where there is none; sooner than a thread of the pool would be asked to. */
export function makeFolder(folder: string, mode = 0o700): string {
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return folder
}
