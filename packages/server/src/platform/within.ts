import { runInNewContext } from 'node:vm'

/** Runs work for so long at most; the interpreter itself stops it, also amid a regular expression. */
export function within<T>(timeoutMs: number, work: () => T): { result: T } | { trouble: string } {
  try {
    return { result: runInNewContext('work()', { work }, { timeout: timeoutMs }) as T }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) }
  }
}
