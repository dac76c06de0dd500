import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds per clock tick in Linux. */
const msPerTick = 10

type Process = { pid: number; parent: number; command: string; ownMs: number; childrenMs: number }

/** Kinds of processes by their command line; the first match applies. */
const kinds: [kind: string, command: RegExp][] = [
  ['demo', /main\.js demo/],
  ['engine', /restate/],
  ['cloud', /cloud-sim/],
  ['runner', /packages\/runner.* --child/],
  ['database', /^postgres|\/postgres/],
]

/**
 * Returns the processor time of this process, its descendants and the database server in milliseconds, by kind.
 * Programs are started by runners; ended ones count towards their parent.
 */
export function processorTimes(): Record<string, number> {
  const processes = allProcesses()
  const times: Record<string, number> = {}
  const add = (kind: string, ms: number) => {
    times[kind] = (times[kind] ?? 0) + ms
  }
  for (const one of [...below(process.pid, processes), ...databaseServer(processes)]) {
    const kind = one.pid === process.pid ? 'server' : kindOf(one)
    add(kind, one.ownMs)
    add(kind === 'runner' || kind === 'programs' ? 'programs' : kind, one.pid === process.pid ? 0 : one.childrenMs)
  }
  return times
}

/** Returns the processor time of some work in milliseconds, by kind of process. */
export async function costOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = processorTimes()
  await work()
  const after = processorTimes()
  return Object.fromEntries(Object.entries(after).map(([who, ms]) => [who, ms - (before[who] ?? 0)]))
}

/** Returns a process and its descendants with their kinds. */
export const kindsBelow = (root: number): { pid: number; kind: string }[] =>
  below(root, allProcesses()).map((one) => ({ pid: one.pid, kind: kindOf(one) }))

const allProcesses = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(processOf)

const kindOf = ({ command }: Process): string => kinds.find(([, words]) => words.test(command))?.[0] ?? 'programs'

function below(root: number, processes: readonly Process[]): Process[] {
  const ours = new Set([root])
  for (let known = 0; known < ours.size; ) {
    known = ours.size
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid)
  }
  return processes.filter(({ pid }) => ours.has(pid))
}

/**
 * Returns the processes of the temporary server of scripts/with-postgres, which has no parent here and is found by its
 * port.
 */
function databaseServer(processes: readonly Process[]): Process[] {
  const port = URL.parse(process.env.TEST_DATABASE_URL ?? '')?.port
  const server = port && processes.find(({ command }) => command.includes(`port=${port} `))
  return server ? below(server.pid, processes) : []
}

/** Reads a process, or returns none if it has ended. See proc(5): the third field follows the name in brackets. */
function processOf(name: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15)
    const ownMs = (user + system) * msPerTick
    return [{ pid: Number(name), parent, command, ownMs, childrenMs: (userOfEnded + systemOfEnded) * msPerTick }]
  } catch {
    return []
  }
}
