import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Share of the last 10 s in which something waited for a processor, in percent; undefined where Linux does not say. */
export function cpuPressure(): number | undefined {
  try {
    const [, average] = /^some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return average === undefined ? undefined : Number(average)
  } catch {
    return undefined
  }
}

/** Processor time of all ended children of this process and of theirs, in seconds; undefined where Linux does not say. */
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

/** A test that runs alone at less pressure than this has both cores of a small machine for itself most of the time. */
const lowPressure = 20

/** Waits until programs hardly wait for a processor any more, for `timeoutMs` at most. */
export async function waitForLowPressure(timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while ((cpuPressure() ?? 0) > lowPressure && performance.now() < deadline) await sleep(2_000)
}
