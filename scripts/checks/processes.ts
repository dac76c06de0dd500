import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a process that was told to stop may take after its suite has ended. */
const patienceMs = 30_000

/** IDs of processes that run a program of this checkout, or work in it or in the temporary directory of this run. */
export function ourProcesses(checkout: string, temporary: string): Set<number> {
  const isOurs = (path: string) => path.startsWith(`${checkout}/`) || path.startsWith(temporary)
  if (!existsSync('/proc/self')) return new Set() // not Linux
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return new Set(
    pids.filter((pid) => pid !== process.pid && (isOurs(linkOf(pid, 'exe')) || isOurs(linkOf(pid, 'cwd')))),
  )
}

/** Waits for the processes that a suite left behind, then kills them. Returns the command lines of those it killed. */
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

/** Sends a signal to a process or, by a negative ID, to its group, and ignores that it has ended meanwhile. */
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
    return '' // it has ended, or belongs to the kernel
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}
