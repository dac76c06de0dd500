import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What was found, and where. */
export type FolderEntry = { path: string; entry: Dirent }

/**
 * Yields what is in a folder and below it, without following links. Programs nest folders as deeply as they like: so
 * without recursion, and what cannot be read is passed to `onError`.
 */
export async function* walkFolder(
  root: string,
  onError: (error: NodeJS.ErrnoException) => void,
): AsyncGenerator<FolderEntry> {
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
      onError(error)
      return []
    })
    for (const entry of entries) {
      const path = join(folder, entry.name)
      yield { path, entry }
      if (entry.isDirectory()) folders.push(path)
    }
  }
}

/** Returns what the files and folders below a folder take on the disk, as far as it can be read. Bytes. */
export async function bytesBelow(root: string): Promise<number> {
  let bytes = 0
  for await (const { path } of walkFolder(root, () => {})) {
    const found = await lstat(path).catch(() => undefined) // it was there a moment ago
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}
