import { createContext, Script } from 'node:vm'

/** Where the work is run: the interpreter can stop only what it runs so. To make one takes longer than most work. */
const room = createContext({ work: undefined as (() => unknown) | undefined })
const script = new Script('work()')

/** Runs work for so long at most; the interpreter itself stops it, also amid a regular expression. */
export function within<T>(timeoutMs: number, work: () => T): { result: T } | { trouble: string } {
  try {
    room.work = work
    return { result: script.runInContext(room, { timeout: timeoutMs }) as T }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) }
  } finally {
    room.work = undefined
  }
}
