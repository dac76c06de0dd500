import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { createBubblewrapOptions, createSwitchUserPrefix, type HiddenFolders, type SystemPaths } from './bubblewrap.ts'
import { type Cgroups, createCgroup, removeCgroup } from './cgroup.ts'
import { changeOwner } from './change-owner.ts'
import type { IdRange } from './ids.ts'
import type { Isolation, Program, WrappedCommand } from './isolation.ts'
import { createPrlimitOptions, type HardLimits, type Limits } from './limits.ts'
import { bundledFile, findClosedParent } from './machine.ts'
import { toSandboxHost, toSandboxUrl } from './network.ts'
import { type NetworkEntry, NetworkPool } from './network-pool.ts'
import { AttemptUsers, type UserRange, Users } from './users.ts'
import { watchLimits } from './watch.ts'

export type SandboxParts = {
  system: SystemPaths
  limits: Limits
  hardLimits: HardLimits
  /** Control groups, which limit all processes of a program together. */
  cgroups: Cgroups | undefined
  /** Rules and folder of private networks; undefined if programs share this machine's network. */
  privateNetwork: { rules: string; directory: string } | undefined
  /** Users that programs run as if the runner is root; undefined for the runner's own user. */
  users: UserRange | undefined
  /** Path of the filter of system calls; undefined if there is none for this machine. */
  filter: string | undefined
  /** Range of IDs of programs that are root in their sandbox, or why there is none. */
  range: IdRange | { missing: string }
  notes: readonly string[]
}

/** Environment of the processes that start a sandbox. Programs could read it, so it has no variable of the runner. */
const launcherEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C.UTF-8' }

/** Runs each program in a sandbox of bubblewrap. */
export class Sandbox implements Isolation {
  readonly kind = 'bubblewrap'
  readonly network
  readonly notes
  readonly #parts: SandboxParts
  readonly idRangeProblem: string | undefined
  readonly #range: IdRange | undefined
  readonly #users: Users | undefined
  /** Users of attempts without a private network. */
  readonly #attemptUsers: AttemptUsers | undefined
  readonly #networks: NetworkPool | undefined
  /** Networks of programs that are root in their sandbox. */
  readonly #rangeNetworks: NetworkPool | undefined

  constructor(parts: SandboxParts) {
    this.#parts = parts
    this.network = parts.privateNetwork ? ('own' as const) : ('host' as const)
    this.notes = parts.notes
    const { privateNetwork, range, limits, hardLimits } = parts
    this.#users = parts.users && new Users(parts.users)
    this.#attemptUsers = this.#users && !privateNetwork ? new AttemptUsers(this.#users) : undefined
    const networks = privateNetwork && {
      ...privateNetwork,
      users: this.#users,
      switchUser: (folder: string, user: number | undefined) => this.#createSwitchPrefix(folder, user),
    }
    this.#networks = networks && new NetworkPool(networks)
    this.#range = 'missing' in range ? undefined : range
    if ('missing' in range) this.idRangeProblem = range.missing
    else if (!networks) this.idRangeProblem = 'its programs have no private network'
    else {
      const idRange = { range, processes: Math.min(limits.processes, hardLimits.nproc) }
      this.#rangeNetworks = new NetworkPool({ ...networks, idRange })
    }
  }

  async wrap(program: Program): Promise<WrappedCommand> {
    const { system, limits, cgroups, filter } = this.#parts
    if (program.isRootInSandbox && !this.#rangeNetworks)
      throw new Error(`programs cannot be root in their sandbox: ${this.idRangeProblem}`)
    // Only bubblewrap can read the file, because it contains the environment.
    const options = createBubblewrapOptions(system, program, filter !== undefined).map((option) => `${option}\0`)
    writeFileSync(join(program.records, 'options'), options.join(''), { mode: 0o600 })
    const writable = [...program.writable, program.temporary]
    const network = await (program.isRootInSandbox ? this.#rangeNetworks : this.#networks)?.allocate(program)
    const user = network ? network.user : this.#attemptUsers?.allocate(program)
    if (user !== undefined) for (const folder of writable) await changeOwner(folder, user, this.#range)
    const group = cgroups ? await createCgroup(cgroups, cgroupName(program.records), limits) : '-'
    const pipes = network ? [network.keepAlivePipe] : []
    const passage = { writable: [...writable, ...pipes], readOnly: program.readOnly }
    const become =
      user === undefined ? [] : createSwitchUserPrefix(system.bwrap, this.#findHiddenFolders(passage), user)
    const argv = [...become, ...createNetworkPrefix(network), ...this.#createSandboxPrefix(), ...program.argv]
    return {
      argv: ['/bin/sh', bundledFile('scripts/launch.sh'), program.records, group, filter ?? '-', ...argv],
      isScript: true,
      cwd: '/',
      env: launcherEnvironment,
    }
  }

  checkTenancy = (): undefined => undefined

  async release(records: string): Promise<void> {
    const { cgroups } = this.#parts
    if (cgroups) await removeCgroup(cgroups, cgroupName(records))
    rmSync(join(records, 'options'), { force: true })
    for (const networks of [this.#networks, this.#rangeNetworks]) networks?.release(records)
    this.#attemptUsers?.release(records)
  }

  close(): void {
    for (const networks of [this.#networks, this.#rangeNetworks]) networks?.closeIdle()
  }

  async isVisible(file: string, { writable, readOnly }: Pick<Program, 'writable' | 'readOnly'>): Promise<boolean> {
    const { folders, links, toolFolders } = this.#parts.system
    const roots = [...folders, ...Object.keys(links), ...toolFolders, ...writable, ...readOnly]
    const isSeen = (path: string) => roots.some((root) => path === root || path.startsWith(root + sep))
    return isSeen(file) && isSeen(realpathSync.native(file))
  }

  rewriteUrl = (url: string): string => (this.network === 'own' ? toSandboxUrl(url) : url)

  rewriteHost = (host: string): string => (this.network === 'own' ? toSandboxHost(host) : host)

  temporaryPathFor = (): string => '/tmp'

  watch: Isolation['watch'] = (watched, over) => watchLimits(this.#parts.limits, watched, over)

  /** Returns a command prefix that creates networks as the user of programs, who enters them. */
  async #createSwitchPrefix(folder: string, user: number | undefined): Promise<string[]> {
    const { system } = this.#parts
    if (user === undefined) return []
    await changeOwner(folder, user, this.#range)
    return createSwitchUserPrefix(system.bwrap, this.#findHiddenFolders({ writable: [folder], readOnly: [] }), user)
  }

  #createSandboxPrefix(): string[] {
    const { system, limits, hardLimits } = this.#parts
    // Set inside, so that the kernel counts the processes of this sandbox instead of all of the user's.
    const prlimit = ['/usr/bin/prlimit', ...createPrlimitOptions(limits, hardLimits), '--']
    return [system.bwrap, '--args', '9', '--', '/usr/bin/env', '--default-signal=HUP,INT,QUIT,TERM', ...prlimit]
  }

  /** Returns the folders to hide, and the paths in them that must stay accessible. */
  #findHiddenFolders({ writable, readOnly }: Pick<Program, 'writable' | 'readOnly'>): HiddenFolders {
    const { toolFolders, etc } = this.#parts.system
    const passage = { hidden: new Set<string>(), writable: [] as string[], readOnly: [] as string[] }
    const needed = { writable, readOnly: [...readOnly, ...toolFolders, etc, bundledFile('scripts')] }
    for (const access of ['writable', 'readOnly'] as const) {
      for (const path of needed[access]) {
        const closed = findClosedParent(path)
        if (closed === undefined) continue
        passage.hidden.add(closed)
        passage[access].push(path)
      }
    }
    return { ...passage, hidden: [...passage.hidden] }
  }
}

const createNetworkPrefix = (network: NetworkEntry | undefined): string[] =>
  network
    ? [
        '/bin/sh',
        bundledFile('scripts/enter-network.sh'),
        network.keepAlivePipe,
        String(network.pid),
        String(network.rangePid ?? '-'),
      ]
    : []

/** Unique, because attempts have unique names and programs have unique names in their attempt. */
const cgroupName = (records: string): string =>
  `${basename(dirname(dirname(records)))}.${basename(dirname(records))}.${basename(records)}`
