import { resolve } from 'node:path'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { resetDataDir } from '@sluice/server/platform/data-dir/reset'
import { confirm } from './confirm.ts'

/** Deletes the data directory, after a confirmation at a terminal unless `yes`. */
export async function reset(sources: ConfigSources, yes: boolean): Promise<void> {
  const directory = resolve(loadCommandConfig(sources).dataDir)
  if (!yes && process.stdin.isTTY && !(await confirm(`Remove ${directory} with everything in it?`))) return
  const removed = await resetDataDir(directory)
  console.log(removed ? `Removed ${directory} (${removed.toSorted().join(', ')}).` : `There is no ${directory}.`)
}
