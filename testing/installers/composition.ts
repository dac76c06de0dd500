import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { Container, defaultCapabilities, type Mount, makeVolume } from './container.ts'
import type { Image } from './image.ts'
import { Network, NetworkNamespace } from './network.ts'
import { serveNamesIn } from './resolver.ts'

// Reads and runs a composition like `docker compose`, without a container engine. Unknown keys are an error, so that
// nothing is ignored unnoticed.

type Service = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  env_file?: { path: string; required: boolean }[]
  depends_on?: Record<string, { condition: 'service_healthy' | 'service_completed_successfully' }>
  healthcheck?: HealthCheck
  networks: string[] | Record<string, { aliases?: string[]; ipv4_address?: string }>
  volumes?: string[]
  configs?: { source: string; target: string }[]
  secrets?: (string | { source: string; target: string; mode?: number })[]
  tmpfs?: string[]
  ports?: string[]
  profiles?: string[]
  deploy?: { replicas: number }
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  // These have no effect here: logs end with the suite, and an unexpected exit fails the test.
  logging?: object
  restart?: string
  shm_size?: string
}

type HealthCheck = { test: string[]; interval: string; timeout: string; start_period?: string; retries: number }

type ComposeFile = {
  name: string
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string; ip_range: string }[] } }>
  volumes: Record<string, object>
  configs: Record<string, { file: string }>
  secrets: Record<string, { file: string }>
}

const serviceKeys = new Set(
  `image command environment env_file depends_on healthcheck networks volumes configs secrets tmpfs ports profiles deploy
   read_only cap_drop security_opt stop_grace_period logging restart shm_size`.split(/\s+/),
)
const fileKeys = new Set(['name', 'services', 'networks', 'volumes', 'configs', 'secrets'])

/** Reads `compose.yaml` of a directory, with the variables of its `.env`. */
export async function readComposition(directory: string): Promise<ComposeFile> {
  const variables = parseEnv(await readFile(join(directory, '.env'), 'utf8'))
  const text = await readFile(join(directory, 'compose.yaml'), 'utf8')
  const file = interpolate(parse(text, { merge: true }), variables) as ComposeFile
  expectKeys('compose.yaml', file, (key) => fileKeys.has(key) || key.startsWith('x-'))
  for (const [name, service] of Object.entries(file.services))
    expectKeys(`the service ${name} of compose.yaml`, service, (key) => serviceKeys.has(key))
  return file
}

function expectKeys(where: string, value: object, isKnown: (key: string) => boolean): void {
  const unknown = Object.keys(value).filter((key) => !isKnown(key))
  if (unknown.length === 0) return
  throw new Error(`${where} has ${unknown.join(', ')}, which testing/installers/composition.ts does not run yet.`)
}

/** Replaces `${NAME}` and `${NAME:-default}` in all texts of a value. */
export function interpolate(value: unknown, variables: NodeJS.Dict<string>): unknown {
  if (typeof value === 'string') return interpolateText(value, variables)
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, variables)]))
}

function interpolateText(text: string, variables: NodeJS.Dict<string>): string {
  return text.replaceAll(/\$(\$|\{(\w+)(?::-([^}]*))?\}|.)/g, (all, next: string, name?: string, fallback?: string) => {
    if (next === '$') return '$'
    if (name === undefined)
      throw new Error(`compose.yaml has ${all}, which is no variable. Write $$ for a dollar sign.`)
    const value = variables[name] || fallback
    if (value === undefined) throw new Error(`compose.yaml asks for ${name}, which .env does not set.`)
    return value
  })
}

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000 }

function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d+)([sm])$/.exec(text) ?? []
  if (count === undefined) throw new Error(`compose.yaml has the duration ${text}: expected seconds or minutes.`)
  return Number(count) * (unitsMs[unit] ?? 0)
}

/** Default grace period and tmpfs options of Docker. */
const usualGraceMs = 10_000
const usualTmpfs = ['rw', 'noexec', 'nosuid', 'nodev', 'mode=1777']

export type CompositionOptions = {
  /** Directory that contains `compose.yaml`. */
  directory: string
  /** Directory for containers and volumes. */
  work: string
  images: Readonly<Record<string, Image>>
}

type Replica = { container: Container; service: string; namespace: NetworkNamespace; addresses: Map<string, string> }

/** Composition whose services run without a container engine. */
export class Composition {
  #file: ComposeFile
  readonly #options: CompositionOptions
  readonly #networks = new Map<string, Network>()
  #replicas: Replica[] = []
  readonly #started = new Map<string, Promise<Replica[]>>()
  readonly #sockets: { close(): unknown }[] = []

  private constructor(file: ComposeFile, options: CompositionOptions) {
    this.#file = file
    this.#options = options
  }

  /** Reads the file and creates its networks. */
  static async read(options: CompositionOptions): Promise<Composition> {
    const composition = new Composition(await readComposition(options.directory), options)
    await composition.#createNetworks()
    return composition
  }

  /**
   * Starts the services without a profile and those of `profiles`, in dependency order. Running services are
   * unaffected.
   */
  async up({ profiles = [], services }: { profiles?: string[]; services?: string[] } = {}): Promise<void> {
    this.#file = await readComposition(this.#options.directory)
    const isUsual = ({ profiles: own = [] }: Service) => own.length === 0 || own.some((one) => profiles.includes(one))
    const all = Object.entries(this.#file.services)
    const wanted = services ?? all.filter(([, service]) => isUsual(service)).map(([name]) => name)
    await Promise.all(wanted.map((name) => this.#start(name)))
    await Promise.all(wanted.map((name) => this.#untilHealthy(name)))
  }

  /** Runs a command in a container of a service, like `docker compose exec`. */
  async execute(service: string, ...args: string[]): Promise<string> {
    const [container] = this.containersOf(service)
    if (!container) throw new Error(`the service ${service} does not run`)
    const { code, output } = await container.execute(args)
    if (code !== 0) throw new Error(`docker compose exec ${service} ${args.join(' ')} ended with ${code}:\n${output}`)
    return output
  }

  /** Removes the containers of a service with their volumes, like a lost disk. */
  async lose(service: string): Promise<void> {
    const lost = this.#replicas.filter((replica) => replica.service === service)
    for (const { container, namespace } of lost) {
      await container.stop(0)
      namespace.release()
    }
    for (const volume of this.#service(service).volumes ?? [])
      await rm(join(this.#options.work, 'volumes', volume.split(':')[0] ?? ''), { recursive: true })
    this.#replicas = this.#replicas.filter((replica) => !lost.includes(replica))
    this.#started.delete(service)
  }

  /** Runs a command in a new container of a service, like `docker compose run --rm`. */
  async run(service: string, ...args: string[]): Promise<string> {
    const { container, namespace } = await this.#create(service, `${service}-run-${this.#count++}`, args)
    await container.start()
    const code = await container.ended()
    namespace.release()
    const output = await container.log(1_000)
    if (code !== 0) throw new Error(`docker compose run ${service} ${args.join(' ')} ended with ${code}:\n${output}`)
    return output
  }

  containersOf(service: string): Container[] {
    return this.#replicas.filter((replica) => replica.service === service).map(({ container }) => container)
  }

  /** Returns the gateway of a network, at which containers reach this machine. */
  gatewayOf(network: string): string {
    return this.#network(network).gateway
  }

  async unexpectedEnds(): Promise<string[]> {
    const ended = this.#replicas.filter(({ container, service }) => !container.isRunning && !this.#isJob(service))
    return Promise.all(
      ended.map(async ({ container }) => `${container.name}: ${container.exitCode}\n${await container.log()}`),
    )
  }

  /** Stops all services in reverse dependency order. Returns those that did not end properly. */
  async down(): Promise<string[]> {
    const faults: string[] = []
    for (const name of this.#stopOrder()) {
      const { stop_grace_period: grace } = this.#file.services[name] as Service
      const graceMs = grace === undefined ? usualGraceMs : durationMs(grace)
      await Promise.all(
        this.containersOf(name).map(async (container) => {
          const code = container.isRunning ? await container.stop(graceMs) : container.exitCode
          if (code !== 0) faults.push(`${container.name} ended with ${code}:\n${await container.log()}`)
        }),
      )
    }
    for (const socket of this.#sockets) socket.close()
    for (const { namespace } of this.#replicas) namespace.release()
    for (const network of this.#networks.values()) await network.remove()
    return faults
  }

  #stopOrder(): string[] {
    const started = [...this.#started.keys()]
    const dependents = (name: string) =>
      started.filter((other) => Object.keys(this.#file.services[other]?.depends_on ?? {}).includes(name))
    const order: string[] = []
    const visit = (name: string) => {
      if (order.includes(name)) return
      dependents(name).forEach(visit)
      order.push(name)
    }
    started.forEach(visit)
    return order
  }

  async #createNetworks(): Promise<void> {
    for (const [index, [name, { internal, ipam }]] of Object.entries(this.#file.networks).entries()) {
      const { subnet = `172.30.${index}.0/24`, ip_range: range } = ipam?.config[0] ?? {}
      const prefix = subnet.split('.').slice(0, 3).join('.')
      const firstHost = Number(range?.split('.')[3]?.split('/')[0] ?? 2)
      const isInternal = internal ?? false
      this.#networks.set(name, await Network.create({ name, prefix, isInternal, firstHost: Math.max(firstHost, 2) }))
    }
  }

  #start(name: string): Promise<Replica[]> {
    const known = this.#started.get(name) ?? this.#startNew(name)
    this.#started.set(name, known)
    return known
  }

  async #startNew(name: string): Promise<Replica[]> {
    const service = this.#service(name)
    await Promise.all(Object.entries(service.depends_on ?? {}).map(([other, how]) => this.#until(other, how.condition)))
    const count = service.deploy?.replicas ?? 1
    const names = Array.from({ length: count }, (_, index) => (count === 1 ? name : `${name}-${index + 1}`))
    const replicas = await Promise.all(names.map((one) => this.#create(name, one, service.command)))
    this.#replicas.push(...replicas)
    await Promise.all(replicas.map(({ container }) => container.start()))
    for (const port of service.ports ?? []) this.#publish(port, replicas)
    return replicas
  }

  async #until(name: string, condition: string): Promise<void> {
    await this.#start(name)
    if (condition === 'service_healthy') return this.#untilHealthy(name)
    for (const container of this.containersOf(name)) {
      const code = await container.ended()
      if (code !== 0) throw new Error(`${name} did not complete: ${code}\n${await container.log()}`)
    }
  }

  async #untilHealthy(name: string): Promise<void> {
    const { healthcheck } = this.#service(name)
    await this.#start(name)
    if (healthcheck) await Promise.all(this.containersOf(name).map((container) => untilHealthy(container, healthcheck)))
  }

  async #create(serviceName: string, name: string, args: readonly string[] | undefined): Promise<Replica> {
    const service = this.#service(serviceName)
    const image = this.#image(service.image)
    const namespace = await NetworkNamespace.create()
    const addresses = new Map<string, string>()
    for (const [network, { ipv4_address }] of networksOf(service))
      addresses.set(network, await this.#network(network).join(namespace, ipv4_address))
    const lookup = (asked: string) => this.#lookUp(asked, [...addresses.keys()])
    this.#sockets.push(await serveNamesIn(namespace, lookup))
    const spec = {
      name,
      image,
      args: [...image.entrypoint, ...(args ?? image.command)],
      env: await this.#environment(service),
      mounts: await this.#mounts(service),
      isRootReadOnly: service.read_only ?? false,
      capabilities: capabilitiesOf(service),
      hasNewPrivileges: !(service.security_opt ?? []).includes('no-new-privileges:true'),
      network: namespace,
      resolvConf: 'nameserver 127.0.0.11\noptions ndots:0\n',
      hosts: ['127.0.0.1 localhost', ...[...addresses.values()].map((address) => `${address} ${name}`), ''].join('\n'),
    }
    return { container: new Container(spec, this.#options.work), service: serviceName, namespace, addresses }
  }

  /** Returns the addresses of a name in these networks, in rotating order. */
  #lookUp(name: string, networks: string[]): string[] | undefined {
    const isNamed = (replica: Replica, network: string) => {
      const settings = networksOf(this.#service(replica.service)).find(([one]) => one === network)?.[1]
      return [replica.service, replica.container.name, ...(settings?.aliases ?? [])].includes(name)
    }
    const running = this.#replicas.filter(({ container }) => container.isRunning)
    const found = networks.flatMap((network) =>
      running.filter((replica) => isNamed(replica, network)).flatMap(({ addresses }) => addresses.get(network) ?? []),
    )
    const turn = this.#turn++ % Math.max(found.length, 1)
    return found.length === 0 ? undefined : [...found.slice(turn), ...found.slice(0, turn)]
  }
  #turn = 0
  #count = 0

  async #environment({ env_file: files = [], environment = {} }: Service): Promise<Record<string, string>> {
    const fromFiles: NodeJS.Dict<string>[] = []
    for (const { path, required } of files) {
      const file = this.#path(path)
      if (required || existsSync(file)) fromFiles.push(parseEnv(await readFile(file, 'utf8')))
    }
    return Object.assign({}, ...fromFiles, environment) as Record<string, string>
  }

  async #mounts({ volumes = [], configs = [], secrets = [], tmpfs = [] }: Service): Promise<Mount[]> {
    const { configs: configFiles, secrets: secretFiles } = this.#file
    return [
      ...(await Promise.all(volumes.map((volume) => this.#volume(volume)))),
      ...configs.map(({ source, target }) => this.#fileMount(configFiles[source], target)),
      // Docker mounts the file unchanged: `mode` and `uid` are for swarms.
      ...secrets.map((one) => {
        const { source, target } = typeof one === 'string' ? { source: one, target: one } : one
        return this.#fileMount(secretFiles[source], isAbsolute(target) ? target : `/run/secrets/${target}`)
      }),
      ...tmpfs.map((text): Mount => {
        const [target = '', own = ''] = text.split(':')
        const options = own.split(',').filter((option) => option !== '')
        const base = usualTmpfs.filter((option) => !(option === 'noexec' && options.includes('exec')))
        return { type: 'tmpfs', target, options: [...base, ...options] }
      }),
    ]
  }

  async #volume(text: string): Promise<Mount> {
    const [source = '', target = '', mode] = text.split(':')
    const isReadOnly = mode === 'ro'
    if (source.startsWith('.')) return { type: 'bind', source: this.#path(source), target, isReadOnly }
    if (!this.#file.volumes[source]) throw new Error(`compose.yaml has no volume ${source}`)
    const folder = await makeVolume(join(this.#options.work, 'volumes', source))
    return { type: 'bind', source: folder, target, isReadOnly }
  }

  #fileMount(declared: { file: string } | undefined, target: string): Mount {
    if (!declared) throw new Error(`compose.yaml mounts ${target} from what it does not declare`)
    return { type: 'bind', source: this.#path(declared.file), target, isReadOnly: true }
  }

  #path = (path: string) => join(this.#options.directory, path)

  #image(reference: string): Image {
    const name = /([^/:]+)(:[^/]*)?$/.exec(reference)?.[1] ?? ''
    const image = this.#options.images[name]
    if (!image) throw new Error(`compose.yaml names the image ${reference}, for which there is no stand-in.`)
    return image
  }

  #service(name: string): Service {
    const service = this.#file.services[name]
    if (!service) throw new Error(`compose.yaml has no service ${name}`)
    return service
  }

  #network(name: string): Network {
    const network = this.#networks.get(name)
    if (!network) throw new Error(`compose.yaml has no network ${name}`)
    return network
  }

  #isJob(name: string): boolean {
    const conditions = Object.values(this.#file.services).map(({ depends_on: needs = {} }) => needs[name]?.condition)
    return conditions.includes('service_completed_successfully')
  }

  /** Publishes `outside:inside` of a container as a port of this machine. */
  #publish(port: string, replicas: Replica[]): void {
    const [outside, inside] = port.split(':').map(Number)
    const host = [...(replicas[0]?.addresses.values() ?? [])][0]
    if (!outside || !inside || host === undefined)
      throw new Error(`compose.yaml publishes ${port}: expected two numbers`)
    this.#sockets.push(forward(outside, { host, port: inside }))
  }
}

const networksOf = ({ networks }: Service) =>
  Array.isArray(networks) ? networks.map((name) => [name, {}] as [string, NetworkSettings]) : Object.entries(networks)
type NetworkSettings = { aliases?: string[]; ipv4_address?: string }

const capabilitiesOf = ({ cap_drop: dropped = [] }: Service) =>
  dropped.includes('ALL') ? [] : defaultCapabilities.filter((name) => !dropped.includes(name.toUpperCase()))

/** Waits until a container is healthy by its Docker health check. Throws if it becomes unhealthy or ends. */
async function untilHealthy(container: Container, check: HealthCheck): Promise<void> {
  const [kind, ...args] = check.test
  if (kind !== 'CMD') throw new Error(`the health check of ${container.name} is not a CMD`)
  const startsUntil = performance.now() + durationMs(check.start_period ?? '0s')
  for (let failures = 0; ; ) {
    const { code, output } = await container.execute(args, durationMs(check.timeout))
    if (code === 0) return
    if (performance.now() > startsUntil) failures++
    if (failures >= check.retries || !container.isRunning)
      throw new Error(`${container.name} is unhealthy: ${output}\n${await container.log()}`)
    await sleep(Math.min(durationMs(check.interval), 1_000))
  }
}

/** Forwards connections to a port of this machine. */
function forward(port: number, to: { host: string; port: number }): Server {
  const server = createServer((socket) => {
    const connection = createConnection(to)
    socket.pipe(connection).pipe(socket)
    socket.on('error', () => connection.destroy())
    connection.on('error', () => socket.destroy())
  })
  return server.listen(port, '0.0.0.0')
}
