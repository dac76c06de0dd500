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
import { bundledFile } from './machine.ts'
import type { Users } from './users.ts'

/** How to enter a network. */
export type NetworkEntry = {
  /** ID of a process in the network. */
  pid: number
  /** ID of a process in the user namespace of its programs, if they have a range of IDs. */
  rangePid: number | undefined
  /** User of the network and its programs; undefined for the runner's own user. */
  user: number | undefined
  /** Pipe that keeps the network alive while a process has it open for writing. */
  keepAlivePipe: string
}

type Network = NetworkEntry & {
  organizationId: string
  folder: string
  /**
   * Input of the script that holds the network; a line ends the hold. Programs hold the network too, so that it
   * outlives the runner as they do.
   */
  holder: Writable
  /** The attempt that uses the network, and records of its running programs; undefined if the network is idle. */
  attempt: string | undefined
  programs: Set<string>
  /** Timer that closes the network when it has been idle for too long. */
  idle: NodeJS.Timeout | undefined
}

export type NetworkPoolParts = {
  /** Folder for the networks. No other pool uses it. */
  directory: string
  rules: string
  /** Users to allocate; undefined if programs run as the runner's own user. */
  users?: Users | undefined
  /** Returns a command prefix that switches to the user of programs, which can then use `folder`. */
  switchUser: (folder: string, user: number | undefined) => Promise<string[]>
  /** Range of IDs of the programs, and their maximum number of processes. */
  idRange?: RangeParts
}

export type RangeParts = { range: IdRange; processes: number }

type NetworkUser = Pick<Program, 'organizationId' | 'attempt' | 'records'>

/** How long an idle network waits for the next attempt of its organization: runs have sequential steps. */
const idleTimeoutMs = 30_000
/** Maximum number of idle networks; each uses some 5 MB. The oldest are closed. */
const maxIdle = 16
/** Generous: creating a network takes some 50 ms on an idle machine. */
const startTimeoutMs = 30_000

/**
 * Allocates networks to attempts, one attempt at a time. A network is reused by attempts of the same organization only.
 * Reuse is safe, because the processes of the earlier attempt are gone and programs cannot change the network.
 */
export class NetworkPool {
  readonly #parts: NetworkPoolParts
  readonly #all = new Set<Network>()

  constructor(parts: NetworkPoolParts) {
    this.#parts = parts
  }

  /** Returns a network for a program. Programs of an attempt share one. */
  async allocate({ organizationId, attempt, records }: NetworkUser): Promise<NetworkEntry> {
    const own = [...this.#all].find((one) => one.attempt === attempt)
    const waiting = [...this.#all].find((one) => one.organizationId === organizationId && one.attempt === undefined)
    const network = own ?? waiting ?? (await this.#create(organizationId))
    clearTimeout(network.idle)
    network.attempt = attempt
    network.programs.add(records)
    return network
  }

  /** Releases the network of a program that has ended with all its processes. */
  release(records: string): void {
    const network = [...this.#all].find(({ programs }) => programs.delete(records))
    if (!network || network.programs.size > 0) return
    network.attempt = undefined
    network.idle = setTimeout(() => this.#close(network), idleTimeoutMs).unref()
    const waiting = [...this.#all].filter(({ attempt }) => attempt === undefined)
    for (const oldest of waiting.slice(0, Math.max(0, waiting.length - maxIdle))) this.#close(oldest)
  }

  /** Closes idle networks. The others end with their last program, or soon after the runner has exited. */
  closeIdle(): void {
    for (const network of this.#all) if (network.programs.size === 0) this.#close(network)
  }

  /** Closes all networks. Each ends with its last program. */
  close(): void {
    for (const network of this.#all) this.#close(network)
  }

  /** Closes a network. It ends with its last program. */
  #close(network: Network): void {
    clearTimeout(network.idle)
    if (this.#all.delete(network)) network.holder.end('over\n')
  }

  async #create(organizationId: string): Promise<Network> {
    const { directory, rules, users, switchUser, idRange } = this.#parts
    const user = users?.allocate()
    const folder = join(directory, randomBytes(8).toString('hex'))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const more = idRange ? [String(idRange.processes)] : []
    const command = [
      ...(await switchUser(folder, user)),
      '/bin/sh',
      bundledFile('scripts/network.sh'),
      folder,
      rules,
      ...more,
    ]
    // Through a shell, because the process that switches users ends with its parent, and a network may outlive the
    // runner.
    const child = spawn('/bin/sh', ['-c', 'trap "" HUP INT TERM; "$@"; exit', 'network', ...command], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C.UTF-8' },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.unref()
    child.stdin.on('error', () => {}) // it has exited; `exit` reports that
    const { pid, rangePid } = await waitUntilUp(child, idRange, user).catch(async (error) => {
      if (user !== undefined) users?.release(user)
      child.stdin.end()
      await rm(folder, { recursive: true, force: true })
      throw error
    })
    const keepAlivePipe = join(folder, 'alive')
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    const { stdin: holder } = child
    if (holder instanceof Socket) holder.unref()
    const nobodys = { attempt: undefined, programs: new Set<string>(), idle: undefined }
    const network: Network = { pid, rangePid, user, keepAlivePipe, organizationId, folder, holder, ...nobodys }
    this.#all.add(network)
    child.once('exit', () => {
      this.#close(network)
      if (user !== undefined) users?.release(user)
      rm(folder, { recursive: true, force: true }).catch(() => {}) // the next start of the runner removes it
    })
    return network
  }
}

/** Removes networks of an earlier runner, except those that its programs still use. */
export async function removeOldNetworks(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory)) {
    const folder = join(directory, name)
    if (hasEnded(join(folder, 'alive'))) await rm(folder, { recursive: true, force: true })
  }
}

/** Returns whether a network has ended: its pipe has no reader. See fifo(7). */
function hasEnded(alive: string): boolean {
  try {
    closeSync(openSync(alive, constants.O_WRONLY | constants.O_NONBLOCK))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENXIO'
  }
}

/** Waits until the network is up. Returns the IDs of its processes. */
async function waitUntilUp(
  child: ChildProcess,
  ranged: RangeParts | undefined,
  user: number | undefined,
): Promise<Pick<NetworkEntry, 'pid' | 'rangePid'>> {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the script was started without pipes')
  let said = ''
  stderr.on('data', (piece) => {
    said += piece
  })
  const lines = createInterface(stdout)
  const ended = once(child, 'close').then(() => [])
  const signal = AbortSignal.timeout(startTimeoutMs)
  /** Returns the process IDs in the script's next line. */
  const next = async () => {
    const [text] = await Promise.race([once(lines, 'line', { signal }), ended])
    const pids = String(text).trim().split(' ').map(Number)
    if (pids.every((pid) => Number.isInteger(pid) && pid > 0)) return pids
    throw new Error(`cannot create a network: ${said.trim()}`)
  }
  if (ranged) {
    const [unmapped = 0] = await next()
    const own = { user: user ?? process.getuid?.() ?? 0, group: user ?? process.getgid?.() ?? 0 }
    await mapIds(unmapped, ranged.range, own.user, own.group)
    stdin.write('mapped\n')
  }
  const [pid = 0, rangePid] = await next()
  return { pid, rangePid }
}
