import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Gives a folder of an attempt, with all that is in it, to the user that programs run as. Only while no program of the
 * attempt runs: nothing in it changes meanwhile, and links are given away themselves, not what they lead to.
 */
export async function handOver(path: string, user: number): Promise<void> {
  const found = await lstat(path)
  if (found.uid !== user || found.gid !== user) await lchown(path, user, user)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await handOver(join(path, name), user)
}
