import { mkdirSync, renameSync, utimesSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from './remove-folder.ts'
import { measureDiskUsage } from './walk-folder.ts'

/** Default size limit of a cache, in bytes. */
export const defaultCacheBytes = 10 * 1024 ** 3

/** Largest share of the cache for one entry. A larger entry is evicted, because it would displace all others. */
const maxShare = 0.5

/** Prefix of entries that are being removed. */
const removedPrefix = 'removed-'

type Entry = { bytes: number; usedAt: number; userCount: number }

/**
 * A folder of downloads, one subfolder per entry. Above the size limit, evicts the least recently used entries that are
 * not in use.
 */
export class CacheFolder {
  readonly #directory: string
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #loaded: Promise<void> | undefined
  #lastUse = 0

  /** Requires a directory that no other process uses. */
  constructor(directory: string, maxBytes: number) {
    this.#directory = directory
    this.#maxBytes = maxBytes
  }

  /** Returns the folder of an entry. */
  folderOf(name: string): string {
    return join(this.#directory, name)
  }

  /** Runs `work` with an entry, which is created if needed. The entry is not evicted until `work` ends. */
  async use<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = this.folderOf(name)
    const entry = this.#entries.get(name) ?? { bytes: 0, usedAt: 0, userCount: 0 }
    this.#entries.set(name, entry)
    entry.userCount += 1
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    try {
      return await work(folder)
    } finally {
      entry.userCount -= 1
      await this.#recordUse(name, entry).catch(() => {}) // safe to ignore: the next use evicts again
    }
  }

  /** Returns whether an entry may grow. */
  async hasRoom(name: string): Promise<boolean> {
    return (await measureDiskUsage(this.folderOf(name))) < this.#maxBytes * maxShare
  }

  async #recordUse(name: string, entry: Entry): Promise<void> {
    entry.bytes = await measureDiskUsage(this.folderOf(name))
    this.#lastUse = Math.max(Date.now(), this.#lastUse + 1)
    entry.usedAt = this.#lastUse
    try {
      utimesSync(this.folderOf(name), new Date(), new Date()) // the last use, for the next start of the runner
    } catch {} // the entry was evicted meanwhile
    this.#loaded ??= this.#loadEntries()
    await this.#loaded
    await this.#evict()
  }

  /** Loads the entries of earlier starts. */
  async #loadEntries(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      if (this.#entries.has(name)) continue
      const folder = this.folderOf(name)
      if (name.startsWith(removedPrefix)) await removeFolder(folder)
      else {
        const [bytes, found] = [await measureDiskUsage(folder), await stat(folder)]
        if (!this.#entries.has(name)) this.#entries.set(name, { bytes, usedAt: found.mtimeMs, userCount: 0 })
      }
    }
  }

  async #evict(): Promise<void> {
    let total = 0
    for (const [name, entry] of [...this.#entries].sort(([, a], [, b]) => b.usedAt - a.usedAt)) {
      const isTooLarge = entry.bytes > this.#maxBytes * maxShare
      if (!isTooLarge) total += entry.bytes
      const isGone = this.#entries.get(name) !== entry
      if (isGone || entry.userCount > 0 || !(isTooLarge || total > this.#maxBytes)) continue
      // Without an await up to the rename: a later `use` creates a new entry.
      this.#entries.delete(name)
      const removed = this.folderOf(`${removedPrefix}${name}-${entry.usedAt}`)
      renameSync(this.folderOf(name), removed)
      await removeFolder(removed)
    }
  }
}
