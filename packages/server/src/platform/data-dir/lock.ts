import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Lock file, which also identifies a data directory. */
export const lockFile = 'sluice.lock'

const ownerFile = 'sluice.pid'

/** Error code SQLITE_BUSY. */
const busy = 5

export interface Lock {
  release(): void
}

/** Error of a directory that another process uses. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'
}

/**
 * Locks the directory for this process. The lock is the operating system's, through an SQLite transaction that never
 * ends, so it disappears with the process.
 */
export async function lockDirectory(directory: string): Promise<Lock> {
  const file = new DatabaseSync(join(directory, lockFile), { timeout: 0 })
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new DirectoryInUse(await inUse(directory), { cause: error })
  }
  await writeFile(join(directory, ownerFile), String(process.pid))
  return { release: () => file.close() }
}

async function inUse(directory: string): Promise<string> {
  const pid = await readFile(join(directory, ownerFile), 'utf8').catch(() => '')
  const owner = pid === '' ? 'another process' : `process ${pid}`
  return `The data directory ${directory} is in use by ${owner}. Stop it, or choose another one with SLUICE_DATA_DIR.`
}
