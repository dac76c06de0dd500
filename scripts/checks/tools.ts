import { execFile } from 'node:child_process'
import { access, chmod, constants, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A program that a suite needs, and the Debian package that has it; `or` names another program that will do. Without an
 * optional one the suite runs, and the tests that need it say that they are skipped.
 */
export type Tool = {
  program: string
  package: string
  /** Packages that the program needs for what the suite does with it. */
  with?: readonly string[]
  or?: string
  isOptional?: true
}

/** Installs what suites need, from Debian's packages. Each is asked for once; the lists of packages, once in a run. */
export class Tools {
  readonly #directory: string
  readonly #known = new Map<string, Promise<boolean>>()
  #lists: Promise<unknown> | undefined

  /** `directory` takes packages that are unpacked and not installed. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** Returns whether the tool is there, after having tried to install it. */
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

  /** Puts a program on the PATH without installing its package, which would start a server that outlives this run. */
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
      // Tests that need the program say that they are skipped without it.
    }
  }

  /** Debian's package would also start a server that outlives this run, unless it is told not to. */
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

/** Directories that have programs and are not on everyone's PATH: Debian's servers of PostgreSQL. */
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

/** The folder of provider plug-ins for machines that cannot reach their registry; empty where there is none. */
export async function pluginMirror(): Promise<string> {
  for (const base of ['/opt', '/usr/share', '/usr/local/share', '/var/lib']) {
    for (const name of await readdir(base).catch(() => [])) {
      const hosts = await readdir(join(base, name)).catch(() => [])
      if (hosts.some((host) => /^registry\..*\.io$/.test(host))) return join(base, name)
    }
  }
  return ''
}

/** What isolated programs reach the network through. udev would open it to everyone, where udev runs. */
export const openTunnelDevice = (): Promise<void> => chmod('/dev/net/tun', 0o666).catch(() => {})
