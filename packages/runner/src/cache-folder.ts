import { mkdirSync, renameSync, utimesSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from './remove-folder.ts'
import { bytesBelow } from './walk-folder.ts'

/** So much where the operator does not say. Bytes. */
export const usualCacheBytes = 10 * 1024 ** 3

/** No entry is kept that alone has more of all that may be kept: others would have none. */
const maxShare = 0.5

/** Of entries that are being removed. */
const removedPrefix = 'removed-'

type Entry = { bytes: number; usedAt: number; userCount: number }

/**
 * A folder with what was fetched and may be fetched again, each entry a folder in it. What exceeds the bound is
 * removed, the least recently used first, but never an entry that is in use.
 */
export class CacheFolder {
  readonly #directory: string
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #known: Promise<void> | undefined
  #lastUse = 0

  /** No other process uses the directory. */
  constructor(directory: string, maxBytes: number) {
    this.#directory = directory
    this.#maxBytes = maxBytes
  }

  /** Where an entry is. */
  folderOf(name: string): string {
    return join(this.#directory, name)
  }

  /** Does work with an entry, which is made where there is none. Work that never ends keeps its entry for ever. */
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
      await this.#settle(name, entry).catch(() => {}) // the work is done, and the next use evicts again
    }
  }

  /** Whether an entry may grow. */
  async hasRoom(name: string): Promise<boolean> {
    return (await bytesBelow(this.folderOf(name))) < this.#maxBytes * maxShare
  }

  async #settle(name: string, entry: Entry): Promise<void> {
    entry.bytes = await bytesBelow(this.folderOf(name))
    this.#lastUse = Math.max(Date.now(), this.#lastUse + 1)
    entry.usedAt = this.#lastUse
    try {
      utimesSync(this.folderOf(name), new Date(), new Date()) // for the next start of the runner
    } catch {} // somebody has evicted it meanwhile
    this.#known ??= this.#findOthers()
    await this.#known
    await this.#evict()
  }

  /** Takes note of what earlier starts have left. */
  async #findOthers(): Promise<void> {
    for (const name of await readdir(this.#directory)) {
      if (this.#entries.has(name)) continue
      const folder = this.folderOf(name)
      if (name.startsWith(removedPrefix)) await removeFolder(folder)
      else {
        const [bytes, found] = [await bytesBelow(folder), await stat(folder)]
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
      // At once: whoever uses it from now on gets a new one.
      this.#entries.delete(name)
      const removed = this.folderOf(`${removedPrefix}${name}-${entry.usedAt}`)
      renameSync(this.folderOf(name), removed)
      await removeFolder(removed)
    }
  }
}
