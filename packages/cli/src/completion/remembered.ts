import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Matches words without special meaning to a shell. */
const isWord = /^[A-Za-z0-9_-]{1,100}$/

/** Maximum number of words, because a shell reads them at every key press. */
const maxWords = 200

/** Returns the folder in which the scripts find the last lists; see `scripts.ts`. */
const folder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice', 'words')

/** Stores the ids and names of a list for completion, in a file that only its owner can read. */
export function storeCompletionWords(list: string, records: readonly Record<string, unknown>[]): void {
  const words = records.flatMap(({ id, givenId }) => [id, givenId]).filter(isOne)
  const path = join(folder(), list)
  const next = `${path}.${process.pid}`
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${[...new Set(words)].slice(0, maxWords).join('\n')}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(next, path)
  } catch {
    // If the file cannot be written, completion keeps its earlier words.
  }
}

const isOne = (word: unknown): word is string => typeof word === 'string' && isWord.test(word)
