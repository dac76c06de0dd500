import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLite's error code SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5

/** Longer than a child runner takes to exit after its server was killed. */
const lockTimeoutMs = 5_000

/**
 * Locks a runner's directory for this process. The lock is an SQLite transaction that never ends. The operating system
 * releases it when the process exits, so a crash cannot leave it behind.
 */
export function lockDirectory(directory: string): { release(): void } {
  const file = new DatabaseSync(join(directory, 'lock'), { timeout: lockTimeoutMs })
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    throw new Error(`Cannot use ${directory}: another runner uses it. Stop that runner or set SLUICE_RUNNER_DIR.`)
  }
  return { release: () => file.close() }
}
