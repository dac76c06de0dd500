import { execFile } from 'node:child_process'
import { access, chmod, constants, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Program that a suite needs, and the Debian package that contains it. `or` names an alternative program. Without an
 * optional tool the suite runs, and tests that need it report that they are skipped.
 */
export type Tool = {
  program: string
  package: string
  /** Additional packages that the program needs for the suite. */
  with?: readonly string[]
  or?: string
  isOptional?: true
}

/** Installs Debian packages that suites need. Requests each once, and updates the package lists once per run. */
export class Tools {
  readonly #directory: string
  readonly #known = new Map<string, Promise<boolean>>()
  #lists: Promise<unknown> | undefined

  /** `directory` receives packages that are unpacked but not installed. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** Installs a tool if it is missing. Returns whether it is available. */
  provide(tool: Tool): Promise<boolean> {
    const known = this.#known.get(tool.program) ?? this.#provide(tool)
    this.#known.set(tool.program, known)
    return known
  }

  async #provide({ program, package: name, with: more = [], or }: Tool): Promise<boolean> {
    if ((await isInstalled(program)) || (or !== undefined && (await isInstalled(or)))) return true
    const installed = name === 'postgresql' ? this.#installPostgres() : this.#install(name, ...more)
    return installed.then(
      () => true,
      (error: Error) => {
        console.log(`cannot install ${name}: ${error.message}`)
        return false
      },
    )
  }

  /** Adds a program to the PATH without installing its package, which would start a permanent server. */
  async unpack({ program, package: name }: Tool): Promise<void> {
    if (await isInstalled(program)) return
    try {
      await this.#updateLists()
      await run('apt-get', ['download', '-qq', name], { cwd: this.#directory })
      const files = await readdir(this.#directory)
      const archive = files.find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb')) ?? ''
      await run('dpkg-deb', ['--extract', archive, name], { cwd: this.#directory })
      process.env.PATH += `:${join(this.#directory, name, 'usr/bin')}`
    } catch {
      // Tests that need the program report that they are skipped.
    }
  }

  /** Installs PostgreSQL without the server that Debian's package starts by default. */
  async #installPostgres(): Promise<void> {
    const directory = '/etc/postgresql-common/createcluster.d'
    const file = join(directory, 'no-main-cluster.conf')
    await mkdir(directory, { recursive: true })
    await writeFile(file, 'create_main_cluster = false\n')
    await this.#install('postgresql').finally(() => rm(file, { force: true }))
  }

  async #install(...names: string[]): Promise<void> {
    await this.#updateLists()
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['install', '-qq', '-y', '-o', 'Acquire::Retries=3', ...names], { env, maxBuffer: 2 ** 26 })
  }

  #updateLists(): Promise<unknown> {
    this.#lists ??= run('apt-get', ['update', '-qq', '-o', 'Acquire::Retries=3'])
    return this.#lists
  }
}

/** Reports whether a program is in the PATH or in the directories of Debian's PostgreSQL servers. */
async function isInstalled(program: string): Promise<boolean> {
  const servers = await readdir('/usr/lib/postgresql').catch(() => [])
  const directories = [
    ...(process.env.PATH ?? '').split(':'),
    ...servers.map((one) => `/usr/lib/postgresql/${one}/bin`),
  ]
  const found = directories.map((directory) => access(join(directory, program), constants.X_OK))
  return Promise.any(found).then(
    () => true,
    () => false,
  )
}

/**
 * Returns a local mirror of provider plugins, for machines without access to their registry; empty if there is none.
 */
export async function pluginMirror(): Promise<string> {
  for (const base of ['/opt', '/usr/share', '/usr/local/share', '/var/lib']) {
    for (const name of await readdir(base).catch(() => [])) {
      const hosts = await readdir(join(base, name)).catch(() => [])
      if (hosts.some((host) => /^registry\..*\.io$/.test(host))) return join(base, name)
    }
  }
  return ''
}

/** Opens the device that isolated programs reach the network through. On machines with udev it is open already. */
export const openTunnelDevice = (): Promise<void> => chmod('/dev/net/tun', 0o666).catch(() => {})
