import { spawn } from 'node:child_process'
import { opendirSync, rmSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder with no more than so much in it is removed at once: milliseconds less than by many small waits. */
const mostAtOnce = 50

/** Removes a folder with all that is in it, also what protects itself from that. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    if (countEntries(folder, mostAtOnce) < mostAtOnce) rmSync(folder, { recursive: true, force: true })
    else await rm(folder, { recursive: true, force: true })
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

/** How many files and folders there are, counted no further than `most`. */
function countEntries(folder: string, most: number): number {
  const opened = opendirSync(folder)
  let count = 0
  try {
    for (let entry = opened.readSync(); entry && count < most; entry = opened.readSync()) {
      count += 1
      if (entry.isDirectory()) count += countEntries(join(folder, entry.name), most - count)
    }
  } finally {
    opened.closeSync()
  }
  return count
}

/** Some tools protect their caches from being written to, which also protects them from being removed. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
  }
}
