import { createContext, Script } from 'node:vm'

/** Where the work is run: the interpreter can stop only what it runs so. To make one takes longer than most work. */
const room = createContext({ work: undefined as (() => unknown) | undefined })
const script = new Script('work()')

/**
 * Runs work that may take so much of the processor; the interpreter itself stops it, also amid a regular expression.
 * It stops by the clock. Where the process was kept from the processor meanwhile, by its neighbours on the machine, the
 * work is begun anew and has twice as long, three times at most: so it must have no effects.
 */
export function within<T>(mostMs: number, work: () => T): { result: T } | { trouble: string } {
  for (let timeout = mostMs; ; timeout *= 2) {
    const before = processorMs()
    try {
      room.work = work
      return { result: script.runInContext(room, { timeout }) as T }
    } catch (error) {
      if (!isTimeout(error)) return { trouble: error instanceof Error ? error.message : String(error) }
      const hadItsTime = processorMs() - before >= 0.8 * mostMs // not all of it: clocks are not that exact
      if (hadItsTime || timeout >= 8 * mostMs) return { trouble: `it was given up after ${mostMs} ms` }
    } finally {
      room.work = undefined
    }
  }
}

/** How much of the processor this thread has had. Milliseconds. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage() // microseconds
  return (user + system) / 1_000
}

/** By its code: the error is one of the room, whose classes are others. */
const isTimeout = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
