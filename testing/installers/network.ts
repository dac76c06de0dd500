import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { eventually } from '@sluice/server/testing/eventually'
import { command } from './commands.ts'

/** Network of containers: a bridge in the network namespace of this process, which is the gateway. */
export class Network {
  readonly name: string
  readonly gateway: string
  readonly #bridge: string
  readonly #prefix: string
  readonly #isInternal: boolean
  #nextHost: number

  private constructor(bridge: string, { name, prefix, isInternal = false, firstHost = 128 }: NetworkOptions) {
    this.name = name
    this.gateway = `${prefix}.1`
    this.#bridge = bridge
    this.#prefix = prefix
    this.#isInternal = isInternal
    this.#nextHost = firstHost
  }

  static async create(options: NetworkOptions): Promise<Network> {
    const network = new Network(deviceName(), options)
    await command('ip', 'link', 'add', network.#bridge, 'type', 'bridge')
    await command('ip', 'addr', 'add', `${network.gateway}/24`, 'dev', network.#bridge)
    await command('ip', 'link', 'set', network.#bridge, 'up')
    return network
  }

  async remove(): Promise<void> {
    await command('ip', 'link', 'delete', this.#bridge)
  }

  /** Connects a network namespace and returns its address. */
  async join(namespace: NetworkNamespace, address = `${this.#prefix}.${this.#nextHost++}`): Promise<string> {
    const [end, inside] = [deviceName(), deviceName()]
    await command('ip', 'link', 'add', end, 'type', 'veth', 'peer', 'name', inside, 'netns', String(namespace.pid))
    await command('ip', 'link', 'set', end, 'master', this.#bridge, 'up')
    await namespace.run('ip', 'addr', 'add', `${address}/24`, 'dev', inside)
    await namespace.run('ip', 'link', 'set', inside, 'up')
    if (!this.#isInternal) await namespace.run('ip', 'route', 'add', 'default', 'via', this.gateway)
    return address
  }
}

export type NetworkOptions = {
  name: string
  /** First three octets of its addresses. */
  prefix: string
  /** Whether it has no access to other networks. */
  isInternal?: boolean
  /** First host number of automatically assigned addresses. */
  firstHost?: number
}

/** Returns a random name, because devices of a released namespace remain for a moment. */
const deviceName = (): string => `net${randomBytes(5).toString('hex')}`

/** Network namespace, which exists while its holder process runs. */
export class NetworkNamespace {
  readonly pid: number
  readonly #release: () => void

  private constructor(pid: number, release: () => void) {
    this.pid = pid
    this.#release = release
  }

  static async create(): Promise<NetworkNamespace> {
    const own = await readlink('/proc/self/ns/net')
    const holder = spawn('setpriv', ['--pdeathsig', 'SIGKILL', 'unshare', '--net', 'sleep', 'infinity'], {
      stdio: 'ignore',
    })
    const { pid } = holder
    if (pid === undefined) throw new Error('cannot start unshare')
    const namespaceOf = () => readlink(`/proc/${pid}/ns/net`)
    await eventually('a network namespace', namespaceOf, (seen) => seen !== own)
    const namespace = new NetworkNamespace(pid, () => holder.kill('SIGKILL'))
    await namespace.run('ip', 'link', 'set', 'lo', 'up')
    return namespace
  }

  get path(): string {
    return `/proc/${this.pid}/ns/net`
  }

  run(program: string, ...args: string[]): Promise<string> {
    return command('nsenter', `--net=${this.path}`, program, ...args)
  }

  release(): void {
    this.#release()
  }
}
