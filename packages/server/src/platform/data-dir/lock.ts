import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Also what a data directory is recognized by. */
export const lockFile = 'sluice.lock'

const ownerFile = 'sluice.pid'

/** SQLite's word for "somebody else has it". */
const busy = 5

export interface Lock {
  release(): void
}

/** Another process has the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'
}

/**
 * Takes the directory for this process alone. The lock is the operating system's own, reached through an SQLite
 * transaction that never ends: it goes with the process, however that ends, so it cannot be left behind.
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
