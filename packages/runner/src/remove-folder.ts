import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder with no more than so much in it is removed at once: milliseconds less than by many small waits. */
const mostAtOnce = 50
/** What file systems take for the names of far more than that: those of millions are not read at once. Bytes. */
const mostNames = 64 * 1024

/** Removes a folder with all that is in it, also what protects itself from that. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    if (!removeAtOnce(folder, mostAtOnce)) await rm(folder, { recursive: true, force: true })
  } catch {
    await makeWritable(folder).catch(() => {}) // it may never have been made
    await rm(folder, { recursive: true, force: true }).catch((error) => removeOfRange(folder, error))
  }
}

/**
 * Files of images belong to users of the range that this one has: it is root over them in a namespace alone.
 *
 * @throws what kept the folder from being removed, where that does not help
 */
async function removeOfRange(folder: string, error: unknown): Promise<void> {
  if (process.getuid?.() === 0) throw error
  const child = spawn('buildah', ['unshare', 'rm', '-rf', '--', folder], { stdio: 'ignore' })
  const exitCode = await new Promise((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('close', resolve)
  })
  if (exitCode !== 0) throw error
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

/** Some tools protect their caches from being written to, which also protects them from being removed. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
  }
}
