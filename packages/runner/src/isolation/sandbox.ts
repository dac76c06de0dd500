import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { becomeArguments, bubblewrapOptions, type Passage, type System } from './bubblewrap.ts'
import { type Cgroups, makeCgroup, removeCgroup } from './cgroup.ts'
import { handOver } from './hand-over.ts'
import type { IdRange } from './ids.ts'
import type { Isolation, Program, Wrapped } from './isolation.ts'
import { type Ceilings, type Limits, prlimitOptions } from './limits.ts'
import { closedFolderAbove, ownFile } from './machine.ts'
import { addressInside, hostInside } from './network.ts'
import { Networks, type Place } from './networks.ts'
import { AttemptUsers, type UserRange, Users } from './users.ts'
import { watchLimits } from './watch.ts'

export type SandboxParts = {
  system: System
  limits: Limits
  ceilings: Ceilings
  /** Where limits hold for all processes of a program together. */
  cgroups: Cgroups | undefined
  /** The rules of networks of their own, and where those are kept; undefined where programs share this machine's. */
  ownNetwork: { rules: string; directory: string } | undefined
  /** Whom programs become outside of the sandbox, when the runner is root; else they are the runner's own user. */
  users: UserRange | undefined
  /** A file with the filter of system calls; undefined where there is none for this machine. */
  filter: string | undefined
  /** The ids of programs that are root inside; or why there are none. */
  range: IdRange | { missing: string }
  notes: readonly string[]
}

/**
 * The environment of what holds a sandbox: nothing of the runner's, which programs could find in it, and nothing of
 * theirs.
 */
const ownEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C.UTF-8' }

/** Programs each in a sandbox of bubblewrap. */
export class Sandbox implements Isolation {
  readonly kind = 'bubblewrap'
  readonly network
  readonly notes
  readonly #parts: SandboxParts
  readonly withoutRange: string | undefined
  readonly #range: IdRange | undefined
  readonly #users: Users | undefined
  /** Of the attempts whose programs have no network of their own. */
  readonly #attemptUsers: AttemptUsers | undefined
  readonly #networks: Networks | undefined
  /** Those of programs that are root inside. */
  readonly #ranged: Networks | undefined

  constructor(parts: SandboxParts) {
    this.#parts = parts
    this.network = parts.ownNetwork ? ('own' as const) : ('host' as const)
    this.notes = parts.notes
    const { ownNetwork, range, limits, ceilings } = parts
    this.#users = parts.users && new Users(parts.users)
    this.#attemptUsers = this.#users && !ownNetwork ? new AttemptUsers(this.#users) : undefined
    const networks = ownNetwork && {
      ...ownNetwork,
      users: this.#users,
      become: (folder: string, user: number | undefined) => this.#keeper(folder, user),
    }
    this.#networks = networks && new Networks(networks)
    this.#range = 'missing' in range ? undefined : range
    if ('missing' in range) this.withoutRange = range.missing
    else if (!networks) this.withoutRange = 'its programs have no network of their own'
    else {
      const ranged = { range, processes: Math.min(limits.processes, ceilings.nproc) }
      this.#ranged = new Networks({ ...networks, ranged })
    }
  }

  async wrap(program: Program): Promise<Wrapped> {
    const { system, limits, cgroups, filter } = this.#parts
    if (program.isRootInside && !this.#ranged) throw new Error(`no program is root inside: ${this.withoutRange}`)
    // Read by bubblewrap alone: the environment is in it.
    const options = bubblewrapOptions(system, program, filter !== undefined).map((option) => `${option}\0`)
    writeFileSync(join(program.records, 'options'), options.join(''), { mode: 0o600 })
    const writable = [...program.writable, program.temporary]
    const network = await (program.isRootInside ? this.#ranged : this.#networks)?.lend(program)
    const user = network ? network.user : this.#attemptUsers?.allocate(program)
    if (user !== undefined) for (const folder of writable) await handOver(folder, user, this.#range)
    const group = cgroups ? await makeCgroup(cgroups, cgroupName(program.records), limits) : '-'
    const pipes = network ? [network.alive] : []
    const passage = { writable: [...writable, ...pipes], readOnly: program.readOnly }
    const become = user === undefined ? [] : becomeArguments(system.bwrap, this.#passage(passage), user)
    const argv = [...become, ...enterNetwork(network), ...this.#enterSandbox(), ...program.argv]
    return {
      argv: ['/bin/sh', ownFile('scripts/launch.sh'), program.records, group, filter ?? '-', ...argv],
      isScript: true,
      cwd: '/',
      env: ownEnvironment,
    }
  }

  refusal = (): undefined => undefined

  async release(records: string): Promise<void> {
    const { cgroups } = this.#parts
    if (cgroups) await removeCgroup(cgroups, cgroupName(records))
    rmSync(join(records, 'options'), { force: true })
    for (const networks of [this.#networks, this.#ranged]) networks?.giveBack(records)
    this.#attemptUsers?.release(records)
  }

  close(): void {
    for (const networks of [this.#networks, this.#ranged]) networks?.endIdle()
  }

  async sees(file: string, { writable, readOnly }: Pick<Program, 'writable' | 'readOnly'>): Promise<boolean> {
    const { folders, links, toolFolders } = this.#parts.system
    const roots = [...folders, ...Object.keys(links), ...toolFolders, ...writable, ...readOnly]
    const isSeen = (path: string) => roots.some((root) => path === root || path.startsWith(root + sep))
    return isSeen(file) && isSeen(realpathSync.native(file))
  }

  addressOf = (url: string): string => (this.network === 'own' ? addressInside(url) : url)

  hostOf = (host: string): string => (this.network === 'own' ? hostInside(host) : host)

  temporaryAt = (): string => '/tmp'

  watch: Isolation['watch'] = (watched, over) => watchLimits(this.#parts.limits, watched, over)

  /** Networks are made by the user of programs, who enters them. */
  async #keeper(folder: string, user: number | undefined): Promise<string[]> {
    const { system } = this.#parts
    if (user === undefined) return []
    await handOver(folder, user, this.#range)
    return becomeArguments(system.bwrap, this.#passage({ writable: [folder], readOnly: [] }), user)
  }

  #enterSandbox(): string[] {
    const { system, limits, ceilings } = this.#parts
    // Limits are set inside, so that the kernel counts the processes of this sandbox and not all of the user's.
    const prlimit = ['/usr/bin/prlimit', ...prlimitOptions(limits, ceilings), '--']
    return [system.bwrap, '--args', '9', '--', '/usr/bin/env', '--default-signal=HUP,INT,QUIT,TERM', ...prlimit]
  }

  /** What there must be of folders that only root may enter. */
  #passage({ writable, readOnly }: Pick<Program, 'writable' | 'readOnly'>): Passage {
    const { toolFolders, etc } = this.#parts.system
    const passage = { hidden: new Set<string>(), writable: [] as string[], readOnly: [] as string[] }
    const needed = { writable, readOnly: [...readOnly, ...toolFolders, etc, ownFile('scripts')] }
    for (const access of ['writable', 'readOnly'] as const) {
      for (const path of needed[access]) {
        const closed = closedFolderAbove(path)
        if (closed === undefined) continue
        passage.hidden.add(closed)
        passage[access].push(path)
      }
    }
    return { ...passage, hidden: [...passage.hidden] }
  }
}

const enterNetwork = (network: Place | undefined): string[] =>
  network
    ? [
        '/bin/sh',
        ownFile('scripts/enter-network.sh'),
        network.alive,
        String(network.pid),
        String(network.within ?? '-'),
      ]
    : []

/** Attempts have names of their own, and programs have them within their attempt. */
const cgroupName = (records: string): string =>
  `${basename(dirname(dirname(records)))}.${basename(dirname(records))}.${basename(records)}`
