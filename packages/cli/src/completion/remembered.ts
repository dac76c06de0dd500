import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What may stand in a list of words that a shell reads: nothing of it means anything to one. */
const isWord = /^[A-Za-z0-9_-]{1,100}$/

/** More do not help who chooses, and a shell reads them at every key. */
const mostWords = 200

/** Where shells find what was listed last, as the scripts have it: `scripts.ts`. */
const folder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice', 'words')

/**
 * Keeps the ids and names of a list, for shells to complete by: in a file that only its owner reads. Which records
 * there are is nobody else's business, even without what is in them.
 */
export function rememberWords(list: string, records: readonly Record<string, unknown>[]): void {
  const words = records.flatMap(({ id, givenId }) => [id, givenId]).filter(isOne)
  const path = join(folder(), list)
  const next = `${path}.${process.pid}`
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${[...new Set(words)].slice(0, mostWords).join('\n')}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(next, path)
  } catch {
    // Where nothing can be kept, shells complete what they completed before; the list itself was shown.
  }
}

const isOne = (word: unknown): word is string => typeof word === 'string' && isWord.test(word)
