import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum time that a stopped process may take to exit after its suite, in milliseconds. */
const patienceMs = 30_000

/**
 * Returns the IDs of processes that run a program of this checkout, or work in it or in the temporary directory of this
 * run.
 */
export function ourProcesses(checkout: string, temporary: string): Set<number> {
  const isOurs = (path: string) => path.startsWith(`${checkout}/`) || path.startsWith(temporary)
  if (!existsSync('/proc/self')) return new Set() // not Linux
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return new Set(
    pids.filter((pid) => pid !== process.pid && (isOurs(linkOf(pid, 'exe')) || isOurs(linkOf(pid, 'cwd')))),
  )
}

/** Waits for leftover processes of a suite, then kills them. Returns the command lines of the killed processes. */
export async function endLeftovers(before: ReadonlySet<number>, find: () => Set<number>): Promise<string[]> {
  const left = () => [...find()].filter((pid) => !before.has(pid))
  const deadline = performance.now() + patienceMs
  while (left().length > 0 && performance.now() < deadline) await sleep(500)
  return left().map((pid) => {
    const command = commandOf(pid)
    signal(pid, 'SIGKILL')
    return `${pid} ${command}`
  })
}

/** Sends a signal to a process or, for a negative ID, to its group. Ignores processes that have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function linkOf(pid: number, name: 'cwd' | 'exe'): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`)
  } catch {
    return '' // the process has ended, or belongs to the kernel
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}
