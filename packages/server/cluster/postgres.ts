import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { ProgramProcess } from '../crash/program-process.ts'
import { dieWithParent } from '../src/platform/engine/server-process.ts'
import { eventually } from '../src/testing/eventually.ts'
import { type Line, portTo } from '../src/testing/port-to.ts'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root: then it runs as this user. */
const serverUser = 'postgres'

/**
 * Both servers. What is synced is what the other one has taken: processes die here, not the machine, so that nothing
 * waits for the disk. A standby is waited for only where there is one: `#expectStandby`.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  wal_keep_size: '256MB',
  wal_log_hints: 'on',
  max_wal_senders: '5',
  wal_retrieve_retry_interval: '500ms',
}

type Server = { name: string; directory: string; port: number; process: ProgramProcess }

/**
 * Two servers: a commit is answered when both have it. Services know neither of them but an address, which leads to the
 * one that takes writes and is moved to the other one when that dies.
 */
export class PostgresPair {
  readonly line: Line
  readonly #servers: [Server, Server]
  readonly #password = randomBytes(16).toString('hex')
  readonly #programs: string
  readonly #user: { uid?: number; gid?: number }
  /** Which of the servers takes writes. */
  #primary = 0

  private constructor(line: Line, servers: [Server, Server], programs: string, user: { uid?: number; gid?: number }) {
    this.line = line
    this.#servers = servers
    this.#programs = programs
    this.#user = user
  }

  static async start(directory: string, ports: [number, number]): Promise<PostgresPair> {
    const programs = await newestPrograms()
    const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? await idsOf(serverUser) : {}
    await mkdir(directory, { mode: 0o700 })
    if (user.uid !== undefined) await chown(directory, user.uid, user.gid ?? user.uid)
    const serverAt = (name: string, port: number): Server => ({
      name,
      directory: join(directory, name),
      port,
      process: new ProgramProcess({
        command: 'env',
        args: [
          ...dieWithParent('SIGQUIT'),
          join(programs, 'postgres'),
          ...['-D', join(directory, name), '-p', String(port)],
          ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
        ],
        env: { LC_ALL: 'C' },
        logFile: join(directory, '..', `${name}.log`),
        options: { ...user, cwd: directory },
        mayExit: true, // see #untilTaken
      }),
    })
    const servers: [Server, Server] = [serverAt('postgres-1', ports[0]), serverAt('postgres-2', ports[1])]
    const pair = new PostgresPair(await portTo({ port: ports[0], host: '127.0.0.1' }), servers, programs, user)
    await pair.#initialize(directory)
    return pair
  }

  /** For services: a role that is no superuser. */
  get url(): string {
    return `postgres://sluice:${this.#password}@127.0.0.1:${this.line.port}/sluice`
  }

  get primary(): Server {
    return this.#servers[this.#primary] as Server
  }

  get standby(): Server {
    return this.#servers[1 - this.#primary] as Server
  }

  /** The primary as its processes, of which a server has many. */
  async freezePrimary(): Promise<() => Promise<void>> {
    const { process: server } = this.primary
    server.freeze()
    for (const pid of await childrenOf(server.pid)) send(pid, 'SIGSTOP')
    return async () => {
      server.thaw()
      for (const pid of await childrenOf(server.pid)) send(pid, 'SIGCONT')
    }
  }

  /** One of them dies and comes back: commits wait until both are there. */
  async restart(server: Server): Promise<void> {
    await killAll(server.process)
    await this.#untilTaken(server)
    await this.#untilFollowed()
  }

  /**
   * The primary dies, and the standby takes its place, with all that was ever answered. The dead one is thrown away and
   * made anew as the standby; until it follows, commits wait for nobody.
   */
  async failOver(): Promise<void> {
    const dead = this.primary
    await killAll(dead.process)
    this.#primary = 1 - this.#primary
    await this.#ask(this.primary, 'select pg_promote(true, 60)')
    await this.#expectStandby(false)
    this.line.lead({ port: this.primary.port, host: '127.0.0.1' })
    this.line.cut() // as a load balancer does with the sessions of a server that is down
    await this.#makeStandby(dead)
  }

  /** The standby is gone with its disk, and is made anew; until it follows, commits wait for nobody. */
  async loseStandby(): Promise<void> {
    const lost = this.standby
    await killAll(lost.process)
    await this.#expectStandby(false)
    await this.#makeStandby(lost)
  }

  async stop(): Promise<void> {
    for (const { process } of this.#servers) if (process.pid !== undefined) await killAll(process)
    this.line.close()
  }

  async #initialize(directory: string): Promise<void> {
    const passwordFile = join(directory, 'password')
    await writeFile(passwordFile, this.#password)
    const { uid, gid } = this.#user
    if (uid !== undefined) await chown(passwordFile, uid, gid ?? uid)
    const how = ['--username', 'postgres', '--auth', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync']
    await this.#run('initdb', ['--pgdata', this.primary.directory, ...how, '--encoding', 'UTF8', '--locale', 'C.UTF-8'])
    await this.#untilTaken(this.primary)
    await this.#ask(this.primary, `create role sluice login createrole password '${this.#password}'`)
    await this.#ask(this.primary, 'create database sluice owner sluice')
    await this.#makeStandby(this.standby)
  }

  /** Copies the primary and lets the copy follow it. */
  async #makeStandby(server: Server): Promise<void> {
    await rm(server.directory, { recursive: true, force: true })
    const from = ['--host', '127.0.0.1', '--port', String(this.primary.port), '--username', 'postgres']
    const how = ['--write-recovery-conf', '--checkpoint', 'fast', '--no-sync', '--wal-method', 'stream']
    await this.#run('pg_basebackup', ['--pgdata', server.directory, ...from, ...how])
    server.process.start()
    await this.#untilFollowed()
    await this.#expectStandby(true)
  }

  /** Until the standby has all that the primary has. */
  async #untilFollowed(): Promise<void> {
    const followers = `select 1 from pg_stat_replication
      where state = 'streaming' and application_name = 'walreceiver' and flush_lsn >= pg_current_wal_flush_lsn()`
    await eventually(
      'the standby to follow',
      () => this.#ask(this.primary, followers).catch(() => []),
      (rows) => rows.length === 1,
    )
  }

  /** Whether a commit waits until the standby has it, too. */
  async #expectStandby(is: boolean): Promise<void> {
    // Nothing but this setting is written while nobody waits for a standby that may not be there.
    await this.#ask(this.primary, `alter system set synchronous_standby_names = '${is ? '*' : ''}'`)
    await this.#ask(this.primary, 'select pg_reload_conf()')
  }

  /** It may find the shared memory of the run before still held: then it is started again. */
  async #untilTaken(server: Server): Promise<void> {
    server.process.start()
    await eventually(
      `${server.name} to take connections`,
      async () => {
        if (!isAlive(server.process.pid)) server.process.start()
        return this.#ask(server, 'select 1').catch(() => [])
      },
      (rows) => rows.length === 1,
    )
  }

  async #ask({ port }: Server, statement: string): Promise<unknown[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password: this.#password,
      database: 'postgres',
    })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  async #run(program: string, args: string[]): Promise<void> {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: this.#password }
    await run(join(this.#programs, program), args, { ...this.#user, env, cwd: join(this.primary.directory, '..') })
  }
}

/** Of Debian's package, in the newest version; else those of the PATH. */
async function newestPrograms(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  if (newest !== undefined) return `/usr/lib/postgresql/${newest}/bin`
  const { stdout } = await run('pg_config', ['--bindir'])
  return stdout.trim()
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await run('id', [flag, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** The server and every process of its own: none of them must write any more when another one takes over. */
async function killAll(server: ProgramProcess): Promise<void> {
  const children = await childrenOf(server.pid)
  await server.kill()
  for (const pid of children) send(pid, 'SIGKILL')
  await eventually(
    'the processes of PostgreSQL to be gone',
    async () => children.filter(isAlive),
    (left) => left.length === 0,
  )
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return []
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has just ended by itself
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
