import { access, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lockDirectory, lockFile } from './lock.ts'

/**
 * Removes a data directory and returns the names of its content; undefined if there is none. Refuses while a server
 * uses it, and refuses a directory that no server ever opened, which is probably a typing error.
 */
export async function resetDataDir(path: string): Promise<string[] | undefined> {
  const directory = resolve(path)
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (names === undefined) return undefined
  await access(join(directory, lockFile)).catch((cause) => {
    throw new Error(`${directory} is not a data directory of Sluice: it has no ${lockFile}. Nothing was removed.`, {
      cause,
    })
  })
  const lock = await lockDirectory(directory)
  await rm(directory, { recursive: true })
  lock.release()
  return names
}
