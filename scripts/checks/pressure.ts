import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns the share of the last 10 s in which a process waited for a processor, in percent; undefined if Linux does not
 * report it.
 */
export function cpuPressure(): number | undefined {
  try {
    const [, average] = /^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return average === undefined ? undefined : Number(average)
  } catch {
    return undefined
  }
}

/**
 * Returns the processor time of all ended child processes and their descendants, in seconds; undefined if Linux does
 * not report it.
 */
export function childrenCpuS(): number | undefined {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    const ticksPerSecond = 100 // USER_HZ, the same on every Linux platform that Node supports
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond // cutime, cstime: man 5 proc
  } catch {
    return undefined
  }
}

/** Processor pressure in percent below which a test has both cores of a small machine for most of the time. */
const lowPressure = 20

/** Waits for low processor pressure, at most `timeoutMs` or until `stop`. */
export async function waitForLowPressure(timeoutMs: number, stop: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while ((cpuPressure() ?? 0) > lowPressure && performance.now() < deadline && !stop.aborted) {
    await sleep(2_000, undefined, { signal: stop }).catch(() => {})
  }
}
