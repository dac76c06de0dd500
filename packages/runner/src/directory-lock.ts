import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLite's word for "somebody else has it". */
const busy = 5

/** Longer than a runner takes to end whose server was killed a moment ago. Milliseconds. */
const patienceMs = 5_000

/**
 * Takes a runner's directory for this process alone. The lock is the operating system's own, reached through an SQLite
 * transaction that never ends: it goes with the process, however that ends, so it cannot be left behind.
 */
export function lockDirectory(directory: string): { release(): void } {
  const file = new DatabaseSync(join(directory, 'lock'), { timeout: patienceMs })
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new Error(`Another runner works in ${directory}. Stop it, or choose another one with SLUICE_RUNNER_DIR.`)
  }
  return { release: () => file.close() }
}
