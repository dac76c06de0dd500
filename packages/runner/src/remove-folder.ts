import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders with at most this many entries are removed synchronously, which is milliseconds faster than many awaits. */
const maxSyncEntries = 50
/**
 * Size of a directory in bytes above which its names are not read at once. It has far more than `maxSyncEntries`
 * entries.
 */
const maxDirectoryBytes = 64 * 1024

/**
 * Removes a folder with its contents, even if tools made caches in it read-only or nested folders deeper than the
 * longest path.
 *
 * @throws the error of the first removal if the other methods fail too
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    if (!removeSync(folder, maxSyncEntries)) await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (await removeWithCommand([], folder)) return
    // Files of images belong to IDs of this user's range. Only in its user namespace is this user root over them.
    if (process.getuid?.() === 0 || !(await removeWithCommand(['buildah', 'unshare'], folder))) throw error
  }
}

async function removeWithCommand(starter: readonly string[], folder: string): Promise<boolean> {
  const script = 'chmod -R u+rwX -- "$1" 2>&-; rm -rf -- "$1"'
  const [program = '', ...args] = [...starter, '/bin/sh', '-c', script, 'sh', folder]
  const child = spawn(program, args, { stdio: 'ignore' })
  const exitCode = await new Promise((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('close', resolve)
  })
  return exitCode === 0
}

/** Removes a folder with at most `maxEntries` entries; returns false if it has more, now or meanwhile. */
function removeSync(folder: string, maxEntries: number): boolean {
  let left = maxEntries
  return removeTree(folder)

  function removeTree(one: string): boolean {
    if (lstatSync(one).size > maxDirectoryBytes) return false
    for (const entry of readdirSync(one, { withFileTypes: true })) {
      left -= 1
      if (left < 0) return false
      const path = join(one, entry.name)
      if (!entry.isDirectory()) unlinkSync(path)
      else if (!removeTree(path)) return false
    }
    rmdirSync(one)
    return true
  }
}
