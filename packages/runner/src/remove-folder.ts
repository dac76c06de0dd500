import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder with no more than so much in it is removed at once: milliseconds less than by many small waits. */
const mostAtOnce = 50
/** What file systems take for the names of far more than that: those of millions are not read at once. Bytes. */
const mostNames = 64 * 1024

/**
 * Removes a folder with all that is in it, also what protects itself from that: tools that close their caches to
 * writers, and folders nested deeper than a path may be long.
 *
 * @throws what kept the folder from being removed, where nothing helps
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    if (!removeAtOnce(folder, mostAtOnce)) await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (await removeByProgram([], folder)) return
    // Files of images belong to users of the range that this one has: it is root over them in a namespace alone.
    if (process.getuid?.() === 0 || !(await removeByProgram(['buildah', 'unshare'], folder))) throw error
  }
}

async function removeByProgram(starter: readonly string[], folder: string): Promise<boolean> {
  const script = 'chmod -R u+rwX -- "$1" 2>&-; rm -rf -- "$1"'
  const [program = '', ...args] = [...starter, '/bin/sh', '-c', script, 'sh', folder]
  const child = spawn(program, args, { stdio: 'ignore' })
  const exitCode = await new Promise((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('close', resolve)
  })
  return exitCode === 0
}

/** Removes a folder with no more than `most` files and folders in it; false where there are more, or were. */
function removeAtOnce(folder: string, most: number): boolean {
  let left = most
  return removed(folder)

  function removed(one: string): boolean {
    if (lstatSync(one).size > mostNames) return false
    for (const entry of readdirSync(one, { withFileTypes: true })) {
      left -= 1
      if (left < 0) return false
      const path = join(one, entry.name)
      if (!entry.isDirectory()) unlinkSync(path)
      else if (!removed(path)) return false
    }
    rmdirSync(one)
    return true
  }
}
