import { createContext, Script } from 'node:vm'

/**
 * VM context for the work: V8 can interrupt only code that runs in a script. Creating a context takes longer than most
 * work, so it is reused.
 */
const room = createContext({ work: undefined as (() => unknown) | undefined })
const script = new Script('work()')

/**
 * Runs synchronous work with a timeout in milliseconds; V8 interrupts it, even inside a regular expression. The timeout
 * is wall-clock time. If the thread got too little processor time, the work is retried up to three times, each with
 * twice the timeout. It must therefore have no side effects.
 */
export function withSyncTimeout<T>(mostMs: number, work: () => T): { result: T } | { trouble: string } {
  for (let timeout = mostMs; ; timeout *= 2) {
    const before = processorMs()
    try {
      room.work = work
      return { result: script.runInContext(room, { timeout }) as T }
    } catch (error) {
      if (!isTimeout(error)) return { trouble: error instanceof Error ? error.message : String(error) }
      const hadItsTime = processorMs() - before >= 0.8 * mostMs // tolerates imprecise clocks
      if (hadItsTime || timeout >= 8 * mostMs) return { trouble: `it was given up after ${mostMs} ms` }
    } finally {
      room.work = undefined
    }
  }
}

/** Returns the processor time of this thread in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage() // microseconds
  return (user + system) / 1_000
}

/** Checks the code, because errors of the VM context have other classes than those of this realm. */
const isTimeout = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
