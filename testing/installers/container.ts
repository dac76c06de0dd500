import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from './commands.ts'
import type { Image } from './image.ts'
import type { NetworkNamespace } from './network.ts'

/** Mount of a container. A tmpfs is empty at each start. */
export type Mount =
  | { type: 'bind'; source: string; target: string; isReadOnly: boolean }
  | { type: 'tmpfs'; target: string; options: readonly string[] }

export type ContainerSpec = {
  /** Host name, and name of the log. */
  name: string
  image: Image
  /** Complete command line: entry point and arguments. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** `user[:group]`; the image's by default. */
  user?: string | undefined
  supplementaryGroup?: number | undefined
  mounts: readonly Mount[]
  isRootReadOnly: boolean
  capabilities: readonly string[]
  hasNewPrivileges: boolean
  network: NetworkNamespace
  /** Contents of `/etc/resolv.conf` and `/etc/hosts`. */
  resolvConf: string
  hosts: string
}

/** Default capabilities of containers in Docker and Kubernetes. */
export const defaultCapabilities: readonly string[] =
  'chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod,audit_write,setfcap'.split(
    ',',
  )

type Execution = { code: number | null; output: string }
type Running = { pid: number; user: User; ended: Promise<number | null> }

/** Container without an engine: a process with its root, user, privileges, mounts and network, run by bubblewrap. */
export class Container {
  readonly name: string
  readonly #spec: ContainerSpec
  readonly #directory: string
  #running: Running | undefined
  #exitCode: number | null | undefined

  /** `directory` is for its layer, log and temporary file systems. */
  constructor(spec: ContainerSpec, directory: string) {
    this.name = spec.name
    this.#spec = spec
    this.#directory = join(directory, spec.name)
  }

  get isRunning(): boolean {
    return this.#running !== undefined && this.#exitCode === undefined
  }

  get exitCode(): number | null | undefined {
    return this.#exitCode
  }

  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    const root = await this.#mountRoot()
    const user = await userIn(root, this.#spec.user ?? this.#spec.image.user)
    const mounts = await this.#prepareMounts(root)
    this.#running = await this.#spawn(root, user, mounts)
    this.#exitCode = undefined
    void this.#running.ended.then((code) => {
      this.#exitCode = code
    })
  }

  /** Waits for its end and returns the exit code. */
  async ended(): Promise<number | null> {
    return this.#expectRunning().ended
  }

  /** Runs a command in the container, like a health check or an operator. */
  async execute(args: readonly string[], timeoutMs = 60_000): Promise<Execution> {
    if (!this.isRunning) return { code: null, output: `${this.name} does not run` }
    const { pid, user } = this.#expectRunning()
    const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wdns=/']
    const words = ['--target', String(pid), ...namespaces, ...this.#privileges(user), ...args]
    const child = spawn('/usr/bin/nsenter', words, {
      env: this.#environment(user),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    return outputOf(child)
  }

  /** Stops the process as a container engine does: SIGTERM, and SIGKILL after `graceMs`. Returns its exit code. */
  async stop(graceMs: number): Promise<number | null> {
    if (!this.isRunning) return this.#exitCode ?? null
    const { pid, ended } = this.#expectRunning()
    kill(pid, 'SIGTERM')
    const timer = setTimeout(() => kill(pid, 'SIGKILL'), graceMs)
    const code = await ended
    clearTimeout(timer)
    return code
  }

  /** Returns the current and peak memory of its first process, in bytes. */
  async memory(): Promise<{ now: number; peak: number }> {
    const status = await readFile(`/proc/${this.#expectRunning().pid}/status`, 'utf8')
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
  }

  /** Returns the last lines of its log. */
  async log(lineCount = 40): Promise<string> {
    const text = await readFile(this.#logFile, 'utf8').catch(() => '')
    return text.trimEnd().split('\n').slice(-lineCount).join('\n')
  }

  get #logFile(): string {
    return join(this.#directory, 'log')
  }

  /** Mounts the image's layers below a writable one, which remains for later starts. */
  async #mountRoot(): Promise<string> {
    const layer = join(this.#directory, 'layer')
    const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(layer, name)) as Three
    if (!(await stat(root).catch(() => undefined))) {
      await mkdir(layer)
      // On a separate file system, because that of this machine may be a layer of the image.
      await command('mount', '-t', 'tmpfs', 'tmpfs', layer)
      for (const folder of [upper, work, root]) await mkdir(folder)
      const options = `lowerdir=${this.#spec.image.layers.join(':')},upperdir=${upper},workdir=${work}`
      await command('mount', '-t', 'overlay', 'overlay', '-o', options, root)
    }
    for (const [file, text] of Object.entries({ 'resolv.conf': this.#spec.resolvConf, hosts: this.#spec.hosts }))
      await writeFile(join(this.#directory, file), text)
    return root
  }

  /** Creates the mount points and returns bubblewrap's arguments for the mounts. */
  async #prepareMounts(root: string): Promise<string[]> {
    const files = ['resolv.conf', 'hosts'].map(
      (name): Mount => ({
        type: 'bind',
        source: join(this.#directory, name),
        target: `/etc/${name}`,
        isReadOnly: false,
      }),
    )
    const args: string[] = []
    for (const [index, mount] of [...this.#spec.mounts, ...files].entries()) {
      const source = mount.type === 'tmpfs' ? await this.#mountTmpfs(index, mount.options) : mount.source
      await makeMountPoint(source, join(root, mount.target))
      const isReadOnly = mount.type === 'bind' && mount.isReadOnly
      args.push(isReadOnly ? '--ro-bind' : '--bind', source, mount.target)
    }
    return args
  }

  async #mountTmpfs(index: number, options: readonly string[]): Promise<string> {
    const folder = join(this.#directory, `tmpfs-${index}`)
    await mkdir(folder, { recursive: true })
    if (await isMountPoint(folder)) await command('umount', folder)
    await command('mount', '-t', 'tmpfs', '-o', options.join(','), 'tmpfs', folder)
    return folder
  }

  async #spawn(root: string, user: User, mounts: string[]): Promise<Running> {
    const { name, args, isRootReadOnly, image, network } = this.#spec
    const namespaces = ['--unshare-pid', '--unshare-uts', '--unshare-ipc', '--hostname', name, '--as-pid-1']
    const system = ['--proc', '/proc', '--dev', '/dev']
    const words = [
      ...[`--net=${network.path}`, '/usr/bin/bwrap', ...namespaces, '--die-with-parent', '--info-fd', '3'],
      ...[isRootReadOnly ? '--ro-bind' : '--bind', root, '/', ...system, ...mounts, '--chdir', image.workingDirectory],
      ...['--', ...this.#privileges(user), ...args],
    ]
    // Not a pipe of Node, which is a socket that cannot be opened as /dev/stderr.
    const log = openSync(this.#logFile, 'a')
    const child = spawn('/usr/bin/nsenter', words, {
      env: this.#environment(user),
      stdio: ['ignore', log, log, 'pipe'],
    })
    closeSync(log)
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null))
      child.once('exit', (code) => resolve(code))
    })
    return { pid: await pidFrom(child, ended), user, ended }
  }

  #privileges({ uid, gid }: User): string[] {
    const { capabilities, hasNewPrivileges, supplementaryGroup } = this.#spec
    const bounding = ['-all', ...capabilities.map((name) => `+${name}`)].join(',')
    return [
      ...['setpriv', '--reuid', String(uid), '--regid', String(gid)],
      ...(supplementaryGroup === undefined ? ['--clear-groups'] : ['--groups', String(supplementaryGroup)]),
      ...['--inh-caps=-all', `--bounding-set=${bounding}`],
      ...(hasNewPrivileges ? [] : ['--no-new-privs']),
    ]
  }

  #environment({ home }: User): Record<string, string> {
    const { image, env, name } = this.#spec
    return { HOSTNAME: name, HOME: home, ...image.env, ...env }
  }

  #expectRunning(): Running {
    if (!this.#running) throw new Error(`${this.name} was not started`)
    return this.#running
  }
}

type Three = [string, string, string]
type User = { uid: number; gid: number; home: string }

/** Looks up `user[:group]`, by name or number, in a root's users. */
async function userIn(root: string, text: string): Promise<User> {
  const [name = '', group] = (text || '0').split(':')
  const lines = (await readFile(join(root, 'etc/passwd'), 'utf8')).split('\n').map((line) => line.split(':'))
  const known = lines.find(([login, , uid]) => login === name || uid === name)
  const uid = Number(known?.[2] ?? name)
  if (!Number.isInteger(uid)) throw new Error(`the image has no user ${name}`)
  return { uid, gid: Number(group ?? known?.[3] ?? 0), home: known?.[5] ?? '/' }
}

async function isMountPoint(path: string): Promise<boolean> {
  const [own, above] = await Promise.all([stat(path), stat(dirname(path))])
  return own.dev !== above.dev
}

/** Creates the file or folder that a mount covers, if missing. */
async function makeMountPoint(source: string, target: string): Promise<void> {
  if (await stat(target).catch(() => undefined)) return
  if ((await stat(source)).isDirectory()) return void (await mkdir(target, { recursive: true }))
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, '')
}

/** Returns the process id of the container's first process, as seen from this process. */
async function pidFrom(child: ChildProcess, ended: Promise<unknown>): Promise<number> {
  const stream = child.stdio[3] as NodeJS.ReadableStream
  let text = ''
  const told = new Promise<number | undefined>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk
      const pid = /"child-pid": (\d+)/.exec(text)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
  })
  const pid = await Promise.race([told, ended.then(() => undefined)])
  if (pid === undefined) throw new Error('a container did not start: see its log')
  return pid
}

async function outputOf(child: ChildProcess): Promise<Execution> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  return { code, output }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has just ended by itself
  }
}

/** Creates a folder for a volume, owned by a user of the container. */
export async function makeVolume(path: string, owner?: { uid: number; gid: number; mode: number }): Promise<string> {
  await mkdir(path, { recursive: true })
  if (owner) {
    await chown(path, owner.uid, owner.gid)
    await chmod(path, owner.mode)
  }
  return path
}
