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

/** User that runs PostgreSQL, which does not start as root. */
const serverUser = 'postgres'

/**
 * Settings of both servers. Durability comes from the standby and not from the disk, because tests kill processes and
 * not the machine. Commits wait for a standby only while one exists: `#expectStandby`.
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
 * Primary and synchronous standby. Services connect to one address that always leads to the primary, also after a
 * failover.
 */
export class PostgresPair {
  readonly line: Line
  readonly #servers: [Server, Server]
  readonly #password = randomBytes(16).toString('hex')
  readonly #programs: string
  readonly #user: { uid?: number; gid?: number }
  /** Index of the primary. */
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
        mayExit: true, // #untilTaken explains why
      }),
    })
    const servers: [Server, Server] = [serverAt('postgres-1', ports[0]), serverAt('postgres-2', ports[1])]
    const pair = new PostgresPair(await portTo({ port: ports[0], host: '127.0.0.1' }), servers, programs, user)
    await pair.#initialize(directory)
    return pair
  }

  /** Connection string for services, with a role that is no superuser. */
  get url(): string {
    return `postgres://sluice:${this.#password}@127.0.0.1:${this.line.port}/sluice`
  }

  get primary(): Server {
    return this.#servers[this.#primary] as Server
  }

  get standby(): Server {
    return this.#servers[1 - this.#primary] as Server
  }

  /** Freezes all processes of the primary. Returns a function that resumes them. */
  async freezePrimary(): Promise<() => Promise<void>> {
    const { process: server } = this.primary
    server.freeze()
    for (const pid of await childrenOf(server.pid)) send(pid, 'SIGSTOP')
    return async () => {
      server.thaw()
      for (const pid of await childrenOf(server.pid)) send(pid, 'SIGCONT')
    }
  }

  /** Restarts a server after killing it. Commits wait until both servers run. */
  async restart(server: Server): Promise<void> {
    await killAll(server.process)
    await this.#untilTaken(server)
    await this.#untilFollowed()
  }

  /**
   * Kills the primary and promotes the standby, which has every confirmed commit. Then creates a new standby; until it
   * follows, commits do not wait for it.
   */
  async failOver(): Promise<void> {
    const dead = this.primary
    await killAll(dead.process)
    this.#primary = 1 - this.#primary
    await this.#ask(this.primary, 'select pg_promote(true, 60)')
    await this.#expectStandby(false)
    this.line.lead({ port: this.primary.port, host: '127.0.0.1' })
    this.line.cut() // like a load balancer that closes the sessions of a failed server
    await this.#makeStandby(dead)
  }

  /** Deletes the standby and creates a new one. Until it follows, commits do not wait for it. */
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

  /** Creates a standby from a copy of the primary. */
  async #makeStandby(server: Server): Promise<void> {
    await rm(server.directory, { recursive: true, force: true })
    const from = ['--host', '127.0.0.1', '--port', String(this.primary.port), '--username', 'postgres']
    const how = ['--write-recovery-conf', '--checkpoint', 'fast', '--no-sync', '--wal-method', 'stream']
    await this.#run('pg_basebackup', ['--pgdata', server.directory, ...from, ...how])
    server.process.start()
    await this.#untilFollowed()
    await this.#expectStandby(true)
  }

  /** Waits until the standby has everything that the primary has written. */
  async #untilFollowed(): Promise<void> {
    const followers = `select 1 from pg_stat_replication
      where state = 'streaming' and application_name = 'walreceiver' and flush_lsn >= pg_current_wal_flush_lsn()`
    await eventually(
      'the standby to follow',
      () => this.#ask(this.primary, followers).catch(() => []),
      (rows) => rows.length === 1,
    )
  }

  /** Sets whether commits wait for the standby. */
  async #expectStandby(is: boolean): Promise<void> {
    // Only this setting is written while commits do not wait for a standby.
    await this.#ask(this.primary, `alter system set synchronous_standby_names = '${is ? '*' : ''}'`)
    await this.#ask(this.primary, 'select pg_reload_conf()')
  }

  /** Starts a server again if the shared memory of its previous run is still in use. */
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

/** Returns the directory of the newest PostgreSQL of Debian, or an empty string for the programs in the PATH. */
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

/** Kills the server and all its processes, so that none writes after a failover. */
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // the process has just exited
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
