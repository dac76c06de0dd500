import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const msPerTick = 10

type Process = { pid: number; parent: number; command: string; ownMs: number; childrenMs: number }

/** What processes of this benchmark do, by the words in their command line; the first that fits. */
const kinds: [kind: string, command: RegExp][] = [
  ['demo', /main\.js demo/],
  ['engine', /restate/],
  ['cloud', /cloud-sim/],
  ['runner', /packages\/runner.* --child/],
  ['database', /^postgres|\/postgres/],
]

/**
 * The processor time that this process, all that come from it and the database server beside it have taken so far.
 * Milliseconds, by what they do. Programs are what runners have started; those that have ended are counted with the
 * process that waited for them.
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

/** Processor time that the work takes, by what the processes do. Milliseconds. */
export async function costOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = processorTimes()
  await work()
  const after = processorTimes()
  return Object.fromEntries(Object.entries(after).map(([who, ms]) => [who, ms - (before[who] ?? 0)]))
}

/** A process and all that come from it, by what they do. */
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

/** The throw-away server of scripts/with-postgres is nobody's child, and is known by its port. */
function databaseServer(processes: readonly Process[]): Process[] {
  const port = URL.parse(process.env.TEST_DATABASE_URL ?? '')?.port
  const server = port && processes.find(({ command }) => command.includes(`port=${port} `))
  return server ? below(server.pid, processes) : []
}

/**
 * Empty for one that has ended meanwhile. See proc(5): what follows the name in brackets begins with the third field.
 */
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
