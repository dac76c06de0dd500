import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { type IdRange, mapIds } from './ids.ts'
import type { Program } from './isolation.ts'
import { ownFile } from './machine.ts'
import type { Users } from './users.ts'

/** Where a network is, for whoever enters it. */
export type Place = {
  /** Of a process in it. */
  pid: number
  /** Of one in the namespace of its programs, where these have a range of ids. */
  within: number | undefined
  /** Whose it is, and its programs'; undefined where they are the runner's own user. */
  user: number | undefined
  /** The pipe that keeps it for as long as somebody has it open for writing. */
  alive: string
}

type Network = Place & {
  organizationId: string
  folder: string
  /**
   * The input of what holds the network: a line ends that hold. Programs have their own, so that a network outlives
   * the runner as they do.
   */
  holder: Writable
  /** The attempt that has it, with the records of its programs that are not over; none where nobody has it. */
  attempt: string | undefined
  programs: Set<string>
  /** Ends it when nobody has wanted it for a while. */
  idle: NodeJS.Timeout | undefined
}

export type NetworksParts = {
  /** For what belongs to them; nobody else's. */
  directory: string
  rules: string
  /** Whom its programs become; undefined where they are the runner's own user. */
  users?: Users | undefined
  /** What is started before, so that it runs as the user of programs, which may read `folder`. */
  become: (folder: string, user: number | undefined) => Promise<string[]>
  /** Where its programs have a range of ids: which, and how many processes they may have in all. */
  ranged?: Ranged
}

export type Ranged = { range: IdRange; processes: number }

type Borrower = Pick<Program, 'organizationId' | 'attempt' | 'records'>

/** How long one waits for the next attempt of its organization: runs have one step after the other. Milliseconds. */
const idleMs = 30_000
/** More that wait are ended, the oldest first: each takes some 5 MB. */
const mostIdle = 16
/** Making one takes some 50 ms; this is for a machine that is very busy. Milliseconds. */
const readyMs = 30_000

/**
 * Networks that are lent to attempts. One is made when an organization has none that is free, has one attempt at a
 * time, and afterwards waits for another one of the same organization: never for one of another. Whoever was in it has
 * left nothing: its processes are gone, and none of them could change the network itself.
 */
export class Networks {
  readonly #parts: NetworksParts
  readonly #all = new Set<Network>()

  constructor(parts: NetworksParts) {
    this.#parts = parts
  }

  /** A network for a program of an attempt; its programs share one. */
  async lend({ organizationId, attempt, records }: Borrower): Promise<Place> {
    const own = [...this.#all].find((one) => one.attempt === attempt)
    const waiting = [...this.#all].find((one) => one.organizationId === organizationId && one.attempt === undefined)
    const network = own ?? waiting ?? (await this.#make(organizationId))
    clearTimeout(network.idle)
    network.attempt = attempt
    network.programs.add(records)
    return network
  }

  /** The program is over, and all that it has started. */
  giveBack(records: string): void {
    const network = [...this.#all].find(({ programs }) => programs.delete(records))
    if (!network || network.programs.size > 0) return
    network.attempt = undefined
    network.idle = setTimeout(() => this.#end(network), idleMs).unref()
    const waiting = [...this.#all].filter(({ attempt }) => attempt === undefined)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - mostIdle))) this.#end(oldest)
  }

  /** Ends those that no program has. The others end with their last program, or soon after a runner that is gone. */
  endIdle(): void {
    for (const network of this.#all) if (network.programs.size === 0) this.#end(network)
  }

  /** Lets go of all: each ends with the last program that has it. */
  end(): void {
    for (const network of this.#all) this.#end(network)
  }

  /** Lets go of it: it ends with the last program that has it. */
  #end(network: Network): void {
    clearTimeout(network.idle)
    if (this.#all.delete(network)) network.holder.end('over\n')
  }

  async #make(organizationId: string): Promise<Network> {
    const { directory, rules, users, become, ranged } = this.#parts
    const user = users?.allocate()
    const folder = join(directory, randomBytes(8).toString('hex'))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const more = ranged ? [String(ranged.processes)] : []
    const command = [...(await become(folder, user)), '/bin/sh', ownFile('scripts/network.sh'), folder, rules, ...more]
    // A shell before it: what makes another user of it ends with its parent, and a network may outlive the runner.
    const child = spawn('/bin/sh', ['-c', 'trap "" HUP INT TERM; "$@"; exit', 'network', ...command], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C.UTF-8' },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.unref()
    child.stdin.on('error', () => {}) // it has ended; `exit` tells
    const { pid, within } = await readyOf(child, ranged, user).catch(async (error) => {
      if (user !== undefined) users?.release(user)
      child.stdin.end()
      await rm(folder, { recursive: true, force: true })
      throw error
    })
    const alive = join(folder, 'alive')
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    const { stdin: holder } = child
    if (holder instanceof Socket) holder.unref()
    const nobodys = { attempt: undefined, programs: new Set<string>(), idle: undefined }
    const network: Network = { pid, within, user, alive, organizationId, folder, holder, ...nobodys }
    this.#all.add(network)
    child.once('exit', () => {
      this.#end(network)
      if (user !== undefined) users?.release(user)
      rm(folder, { recursive: true, force: true }).catch(() => {}) // the next start of the runner removes it
    })
    return network
  }
}

/** Removes what is left of networks of an earlier runner, but for those that programs of it still have. */
export async function clearNetworks(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory)) {
    const folder = join(directory, name)
    if (isOver(join(folder, 'alive'))) await rm(folder, { recursive: true, force: true })
  }
}

/** Nobody reads the pipe of a network that is gone: see fifo(7). */
function isOver(alive: string): boolean {
  try {
    closeSync(openSync(alive, constants.O_WRONLY | constants.O_NONBLOCK))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENXIO'
  }
}

/** The ids of its processes, when it is there. */
async function readyOf(
  child: ChildProcess,
  ranged: Ranged | undefined,
  user: number | undefined,
): Promise<Pick<Place, 'pid' | 'within'>> {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('it was started without pipes')
  let said = ''
  stderr.on('data', (piece) => {
    said += piece
  })
  const lines = createInterface(stdout)
  const ended = once(child, 'close').then(() => [])
  const signal = AbortSignal.timeout(readyMs)
  /** What it says next: ids of processes. */
  const next = async () => {
    const [text] = await Promise.race([once(lines, 'line', { signal }), ended])
    const pids = String(text).trim().split(' ').map(Number)
    if (pids.every((pid) => Number.isInteger(pid) && pid > 0)) return pids
    throw new Error(`a network could not be made: ${said.trim()}`)
  }
  if (ranged) {
    const [unmapped = 0] = await next()
    const own = { user: user ?? process.getuid?.() ?? 0, group: user ?? process.getgid?.() ?? 0 }
    await mapIds(unmapped, ranged.range, own.user, own.group)
    stdin.write('mapped\n')
  }
  const [pid = 0, within] = await next()
  return { pid, within }
}
