import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** An entry and its path. */
export type FolderEntry = { path: string; entry: Dirent }

/**
 * Yields everything below a folder without following links. Iterative, because programs can nest folders arbitrarily
 * deep. Calls `onError` for folders that cannot be read.
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

/** Returns the disk usage below a folder in bytes. Skips what cannot be read. */
export async function measureDiskUsage(root: string): Promise<number> {
  let bytes = 0
  for await (const { path } of walkFolder(root, () => {})) {
    const found = await lstat(path).catch(() => undefined) // removed since it was listed
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}
