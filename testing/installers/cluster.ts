import { mkdir, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import type { Manifest } from '@sluice/server/testing/kustomize'
import { command } from './commands.ts'
import { Container, type ContainerSpec, defaultCapabilities, type Mount, makeVolume } from './container.ts'
import type { Image } from './image.ts'
import { Network, NetworkNamespace } from './network.ts'
import { isAllowed, type NetworkPolicy, type Peer, selectorMatches } from './network-policies.ts'
import { serveNames } from './resolver.ts'

// Runs Kubernetes manifests without a cluster: pods with probes, Services with DNS, and network policies. Unknown
// fields of pods are an error.

type EnvVar = {
  name: string
  value?: string
  valueFrom?: { fieldRef?: { fieldPath: string }; secretKeyRef?: { name: string; key: string } }
}
type Reference = { name: string; optional?: boolean }
type Probe = {
  httpGet?: { path: string; port: string | number }
  tcpSocket?: { port: string | number }
  exec?: { command: string[] }
  periodSeconds?: number
  timeoutSeconds?: number
  failureThreshold?: number
}
type ContainerManifest = {
  name: string
  image: string
  command?: string[]
  args?: string[]
  env?: EnvVar[]
  envFrom?: { configMapRef?: Reference; secretRef?: Reference }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  readinessProbe?: Probe
  livenessProbe?: Probe
  resources: { requests: { memory: string }; limits: { memory: string } }
  securityContext: {
    allowPrivilegeEscalation: boolean
    readOnlyRootFilesystem: boolean
    capabilities: { drop: string[] }
  }
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[]
}
type Volume = {
  name: string
  emptyDir?: object
  configMap?: { name: string }
  secret?: { secretName: string; optional?: boolean }
}
type PodSpec = {
  initContainers?: ContainerManifest[]
  containers: ContainerManifest[]
  volumes?: Volume[]
  securityContext: { runAsUser: number; runAsGroup: number; fsGroup?: number }
  restartPolicy?: string
  terminationGracePeriodSeconds?: number
}
type Workload = {
  replicas?: number
  template: { metadata: { labels: Record<string, string> }; spec: PodSpec }
  volumeClaimTemplates?: { metadata: { name: string } }[]
}
type ServiceSpec = {
  clusterIP?: string
  publishNotReadyAddresses?: boolean
  selector: Record<string, string>
  ports: { name: string; port: number; targetPort?: string | number }[]
}
type IngressSpec = {
  tls: { hosts: string[]; secretName: string }[]
  rules: { host: string; http: { paths: { path: string; backend: Backend }[] } }[]
}
type Backend = { service: { name: string; port: { name: string } } }

const containerFields =
  `name image command args env envFrom ports startupProbe readinessProbe livenessProbe resources securityContext volumeMounts`.split(
    ' ',
  )
/** Fields that select machines or are validated by the schema, which have no effect on one machine. */
const passedOver =
  `serviceAccountName automountServiceAccountToken topologySpreadConstraints affinity priorityClassName`.split(' ')
const podFields =
  `initContainers containers volumes securityContext restartPolicy terminationGracePeriodSeconds ${passedOver.join(' ')}`.split(
    ' ',
  )

/** Default values of Kubernetes for grace period, DNS address and restart delay. */
const usualGraceSeconds = 30
const clusterDns = '10.96.0.10'
const restartMs = 1_000

type Pod = {
  name: string
  namespace: string
  labels: Record<string, string>
  spec: PodSpec
  address: string
  initContainers: Container[]
  container: Container
  network: NetworkNamespace
  isReady: boolean
  isDone: boolean
  restartCount: number
}

export type ClusterOptions = {
  manifests: readonly Manifest[]
  images: Readonly<Record<string, Image>>
  /** Directory for containers and volumes. */
  work: string
}

export class Cluster {
  /** Problems that a restart hides, such as an unexpected exit or a failing liveness probe. */
  readonly faults: string[] = []
  readonly #options: ClusterOptions
  readonly #pods: Pod[] = []
  readonly #secrets = new Map<string, Record<string, string>>()
  /** Workloads whose pods wait for a Secret. */
  #waiting: Manifest[] = []
  readonly #services = new Map<string, { spec: ServiceSpec; address: string }>()
  readonly #closing: { close(): unknown }[] = []
  readonly #network: Network
  /** Addresses of names outside the cluster. */
  readonly #outside = new Map<string, string>()
  #isStopping = false

  private constructor(options: ClusterOptions, network: Network) {
    this.#options = options
    this.#network = network
  }

  static async create(options: ClusterOptions): Promise<Cluster> {
    const network = await Network.create({ name: 'pods', prefix: '10.244.0', firstHost: 2 })
    const cluster = new Cluster(options, network)
    await cluster.#addServiceAddress(clusterDns)
    cluster.#closing.push(await serveNames(clusterDns, (name) => cluster.#lookUp(name)))
    return cluster
  }

  get gateway(): string {
    return this.#network.gateway
  }

  /** Starts a container outside the cluster, such as a database, which pods reach by name. */
  async startOutside(name: string, spec: OutsideSpec): Promise<Container> {
    const network = await NetworkNamespace.create()
    this.#outside.set(name, await this.#network.join(network))
    const container = new Container({ ...baseSpec(name, network), ...spec }, this.#options.work)
    await container.start()
    return container
  }

  /** Creates all objects at once, like `kubectl apply`. */
  async apply(): Promise<void> {
    for (const [index, manifest] of this.#ofKind('Service').entries()) {
      const spec = manifest.spec as ServiceSpec
      const address = spec.clusterIP === 'None' ? '' : `10.96.1.${index + 1}`
      this.#services.set(manifest.metadata.name, { spec, address })
      if (address !== '') await this.#serve(address, spec)
    }
    this.#waiting = ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) => this.#ofKind(kind))
    await this.#runComplete()
  }

  /** Creates a Secret and starts the pods that only waited for it. */
  async createSecret(name: string, data: Record<string, string>): Promise<void> {
    this.#secrets.set(name, data)
    await this.#runComplete()
  }

  async #runComplete(): Promise<void> {
    const isComplete = (workload: Manifest) => neededSecrets(workload).every((name) => this.#secrets.has(name))
    const complete = this.#waiting.filter(isComplete)
    this.#waiting = this.#waiting.filter((workload) => !complete.includes(workload))
    await Promise.all(complete.map((workload) => this.#run(workload)))
  }

  /** Whether all pods are ready, or completed if they belong to a job. */
  get isReady(): boolean {
    return this.#pods.every(({ isReady, isDone }) => isReady || isDone)
  }

  /** State of each pod, one per line. */
  get state(): string[] {
    return this.#pods.map(({ name, isReady, isDone, restartCount }) => {
      const state = isDone ? 'Completed' : isReady ? 'Ready' : 'NotReady'
      return `${name} ${state}, ${restartCount} restarts`
    })
  }

  /** Runs a command in a pod of an app, like `kubectl exec`. */
  async execute(app: string, ...args: string[]): Promise<string> {
    const pod = this.podOf(app)
    const { code, output } = await pod.container.execute(args)
    if (code !== 0) throw new Error(`kubectl exec ${pod.name} -- ${args.join(' ')} ended with ${code}:\n${output}`)
    return output
  }

  podOf(app: string): Pick<Pod, 'name' | 'address' | 'container'> & Peer {
    const pod = this.#pods.find(({ labels }) => labels.app === app)
    if (!pod) throw new Error(`there is no pod of ${app}`)
    return pod
  }

  /** Returns pods that use more memory than they request, or exceeded their limit. */
  async memoryFaults(): Promise<string[]> {
    const faults = this.#pods
      .filter(({ isReady }) => isReady)
      .map(async ({ name, spec, container }) => {
        const { requests, limits } = (spec.containers[0] as ContainerManifest).resources
        const { now, peak } = await container.memory()
        if (now <= bytesOf(requests.memory) && peak <= bytesOf(limits.memory)) return []
        const used = `${Math.round(now / mebibyte)}Mi, at most ${Math.round(peak / mebibyte)}Mi`
        return [`${name} uses ${used}; it requests ${requests.memory} and has the limit ${limits.memory}`]
      })
    return (await Promise.all(faults)).flat()
  }

  get policies(): NetworkPolicy[] {
    return this.#ofKind('NetworkPolicy') as unknown as NetworkPolicy[]
  }

  /** Serves the hosts of the Ingress on port 443 of this machine, like an ingress controller. */
  serveIngress(): void {
    const [ingress] = this.#ofKind('Ingress')
    if (!ingress) throw new Error('there is no Ingress')
    const { tls, rules } = ingress.spec as IngressSpec
    const { 'tls.crt': cert, 'tls.key': key } = this.#secret(tls[0]?.secretName ?? '')
    const { name, port } = rules[0]?.http.paths[0]?.backend.service ?? { name: '', port: { name: '' } }
    const service = this.#services.get(name)
    const number = service?.spec.ports.find((one) => one.name === port.name)?.port
    if (!service || number === undefined || cert === undefined || key === undefined)
      throw new Error(`the Ingress leads to the port ${port.name} of the Service ${name}, which is not there`)
    const server = createTlsServer({ cert, key }, (socket) =>
      connectStreams(socket, createConnection(number, service.address)),
    )
    this.#closing.push(server.listen(443, '0.0.0.0'))
  }

  /** Terminates all pods at once. Returns those that did not end properly. */
  async delete(): Promise<string[]> {
    this.#isStopping = true
    const faults: string[] = []
    await Promise.all(
      this.#pods.map(async ({ name, spec, container, network }) => {
        const graceSeconds = spec.terminationGracePeriodSeconds ?? usualGraceSeconds
        const code = container.isRunning ? await container.stop(graceSeconds * 1_000) : container.exitCode
        if (code !== 0) faults.push(`${name} ended with ${code}:\n${await container.log()}`)
        network.release()
      }),
    )
    for (const one of this.#closing) one.close()
    await this.#network.remove()
    return faults
  }

  #ofKind = (kind: string): Manifest[] => this.#options.manifests.filter((manifest) => manifest.kind === kind)

  async #run(manifest: Manifest): Promise<void> {
    const { kind, metadata } = manifest
    const workload = manifest.spec as Workload
    const names = Array.from({ length: this.#replicaCount(manifest) }, (_, index) => `${metadata.name}-${index}`)
    expectFields(`${kind} ${metadata.name}`, workload.template.spec)
    await Promise.all(names.map((name) => this.#startPod(name, kind, metadata.namespace ?? '', workload)))
  }

  /** Returns the number of replicas; with an autoscaler, its minimum. */
  #replicaCount({ kind, metadata, spec }: Manifest): number {
    if (kind === 'Job') return 1
    const scalers = this.#ofKind('HorizontalPodAutoscaler').map(
      (scaler) => scaler.spec as { scaleTargetRef: { name: string }; minReplicas: number },
    )
    const scaler = scalers.find(({ scaleTargetRef }) => scaleTargetRef.name === metadata.name)
    return scaler?.minReplicas ?? (spec as Workload).replicas ?? 1
  }

  async #startPod(name: string, kind: string, namespace: string, workload: Workload): Promise<void> {
    const { metadata, spec } = workload.template
    const [manifest, another] = spec.containers
    if (!manifest || another) throw new Error(`${name} has not exactly one container`)
    const network = await NetworkNamespace.create()
    const address = await this.#network.join(network)
    const volumes = await this.#volumes(name, workload)
    const specOf = (one: ContainerManifest) =>
      this.#containerSpec(one, { name, namespace, spec, network, address, volumes })
    const container = new Container(specOf(manifest), this.#options.work)
    const initContainers = (spec.initContainers ?? []).map((one) => {
      const own = { ...specOf(one), name: `${name}-${one.name}` }
      return new Container(own, this.#options.work)
    })
    const { labels } = metadata
    const state = { isReady: false, isDone: false, restartCount: 0 }
    const pod: Pod = { name, namespace, labels, spec, address, initContainers, container, network, ...state }
    this.#pods.push(pod)
    void this.#superviseRestarts(pod, kind === 'Job').catch((error: Error) => this.faults.push(error.message))
  }

  #containerSpec(manifest: ContainerManifest, pod: PodSettings): ContainerSpec {
    const { name, namespace, spec, network, address, volumes } = pod
    const image = this.#image(manifest.image)
    const { runAsUser, runAsGroup, fsGroup } = spec.securityContext
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = manifest.securityContext
    return {
      ...baseSpec(name, network),
      image,
      args: [...(manifest.command ?? image.entrypoint), ...(manifest.args ?? (manifest.command ? [] : image.command))],
      env: this.#environment(manifest, name),
      user: `${runAsUser}:${runAsGroup}`,
      supplementaryGroup: fsGroup,
      mounts: mountsOf(manifest, volumes),
      isRootReadOnly: readOnlyRootFilesystem,
      capabilities: capabilities.drop.includes('ALL') ? [] : defaultCapabilities,
      hasNewPrivileges: allowPrivilegeEscalation,
      resolvConf: `nameserver ${clusterDns}\nsearch ${namespace}.svc.cluster.local svc.cluster.local\noptions ndots:5\n`,
      hosts: `127.0.0.1 localhost\n${address} ${name}\n`,
    }
  }

  /** Runs the init containers of a pod in order, each until it succeeds. */
  async #initialize({ initContainers }: Pod): Promise<void> {
    for (const container of initContainers) {
      await container.start()
      for (let code = await container.ended(); code !== 0 && !this.#isStopping; code = await container.ended()) {
        this.faults.push(`${container.name} ended with ${code}:\n${await container.log()}`)
        await sleep(restartMs)
        await container.start()
      }
    }
  }

  /** Starts a pod and restarts it whenever it ends, like a kubelet. */
  async #superviseRestarts(pod: Pod, isJob: boolean): Promise<void> {
    await this.#initialize(pod)
    for (; !this.#isStopping; pod.restartCount++) {
      await pod.container.start()
      const ended = pod.container.ended()
      const [manifest] = pod.spec.containers as [ContainerManifest]
      void this.#probe(pod, manifest, ended)
      const code = await ended
      pod.isReady = false
      if (this.#isStopping) return
      if (isJob && code === 0) {
        pod.isDone = true
        return
      }
      this.faults.push(`${pod.name} ended with ${code}:\n${await pod.container.log()}`)
      await sleep(restartMs)
    }
  }

  /** Probes a container until it ends. */
  async #probe(pod: Pod, manifest: ContainerManifest, ended: Promise<unknown>): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = manifest
    let isRunning = true
    void ended.then(() => {
      isRunning = false
    })
    const passes = (probe: Probe) => passesProbe(pod, manifest, probe)
    if (startupProbe) {
      const { periodSeconds = 10, failureThreshold = 3 } = startupProbe
      for (let failures = 0; isRunning && !(await passes(startupProbe)); failures++) {
        if (failures >= failureThreshold) this.faults.push(`${pod.name}: its startup probe fails`)
        await sleep(periodSeconds * 1_000)
      }
    }
    let failures = 0
    while (isRunning && !this.#isStopping) {
      pod.isReady = readinessProbe ? await passes(readinessProbe) : true
      failures = !livenessProbe || (await passes(livenessProbe)) ? 0 : failures + 1
      if (failures >= (livenessProbe?.failureThreshold ?? 3)) {
        this.faults.push(`${pod.name}: its liveness probe fails`)
        failures = 0
      }
      await sleep(1_000)
    }
  }

  /** Creates the folders of a pod's volumes. */
  async #volumes(pod: string, { template, volumeClaimTemplates = [] }: Workload): Promise<Map<string, string>> {
    const { runAsUser, fsGroup } = template.spec.securityContext
    const owner = { uid: 0, gid: fsGroup ?? 0, mode: 0o2777 }
    const folder = (name: string) => join(this.#options.work, 'volumes', pod, name)
    const volumes = new Map<string, string>()
    for (const { metadata } of volumeClaimTemplates)
      volumes.set(metadata.name, await makeVolume(folder(metadata.name), { ...owner, mode: 0o2775 }))
    for (const { name, emptyDir, configMap, secret } of template.spec.volumes ?? []) {
      volumes.set(name, await makeVolume(folder(name), owner))
      if (emptyDir) continue
      const data = configMap ? this.#configMap(configMap.name) : this.#secret(secret?.secretName ?? '', secret)
      // Files belong to root, and to the pod's group if it has one.
      for (const [file, text] of Object.entries(data)) await writeFileAs(join(folder(name), file), text, fsGroup)
    }
    if (runAsUser === 0) throw new Error(`${pod} runs as root`)
    return volumes
  }

  #environment({ env = [], envFrom = [] }: ContainerManifest, pod: string): Record<string, string> {
    const values: Record<string, string> = {}
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef) Object.assign(values, this.#configMap(configMapRef.name))
      if (secretRef) Object.assign(values, this.#secret(secretRef.name, secretRef))
    }
    for (const { name, value, valueFrom } of env) {
      const { fieldRef, secretKeyRef } = valueFrom ?? {}
      if (fieldRef && fieldRef.fieldPath !== 'metadata.name') throw new Error(`${name} is of ${fieldRef.fieldPath}`)
      const referred = fieldRef ? pod : secretKeyRef && this.#secret(secretKeyRef.name)[secretKeyRef.key]
      const own = value?.replaceAll(/\$\((\w+)\)/g, (text, other: string) => values[other] ?? text)
      const found = own ?? referred
      if (found === undefined) throw new Error(`${pod}: ${name} has no value`)
      values[name] = found
    }
    return values
  }

  #configMap(name: string): Record<string, string> {
    const found = this.#ofKind('ConfigMap').find(({ metadata }) => metadata.name === name)
    if (!found?.data) throw new Error(`there is no ConfigMap ${name}`)
    return found.data
  }

  #secret(name: string, { optional }: { optional?: boolean | undefined } = {}): Record<string, string> {
    const found = this.#secrets.get(name)
    if (!found && !optional) throw new Error(`there is no Secret ${name}`)
    return found ?? {}
  }

  #image(reference: string): Image {
    const name = /([^/:]+)(:[^/]*)?$/.exec(reference)?.[1] ?? ''
    const image = this.#options.images[name]
    if (!image) throw new Error(`a manifest names the image ${reference}, for which there is no stand-in.`)
    return image
  }

  /** Resolves a name with the DNS search list of the manifests' namespace. */
  #lookUp(name: string): string[] | undefined {
    const outside = this.#outside.get(name)
    if (outside !== undefined) return [outside]
    const [, first = '', second] = /^([\w-]+)(?:\.([\w-]+))?\.sluice\.svc\.cluster\.local$/.exec(name) ?? []
    const service = this.#services.get(second ?? first)
    if (!service) return undefined
    if (service.address !== '') return second === undefined ? [service.address] : undefined
    const pods = this.#pods.filter(({ labels }) => selectorMatches({ matchLabels: service.spec.selector }, labels))
    const found = pods.filter((pod) => second === undefined || pod.name === first)
    const published = found.filter((pod) => pod.isReady || service.spec.publishNotReadyAddresses)
    return published.length === 0 ? undefined : published.map(({ address }) => address)
  }

  async #addServiceAddress(address: string): Promise<void> {
    await command('ip', 'addr', 'add', `${address}/32`, 'dev', 'lo')
  }

  /** Forwards connections to a ready pod, if network policies allow them. */
  async #serve(address: string, spec: ServiceSpec): Promise<void> {
    await this.#addServiceAddress(address)
    for (const port of spec.ports) {
      let turn = 0
      const server = createServer((socket) => {
        const targets = this.#pods.filter(
          ({ isReady, labels }) => isReady && selectorMatches({ matchLabels: spec.selector }, labels),
        )
        const target = targets[turn++ % Math.max(targets.length, 1)]
        const number = target && portOf(target, port.targetPort ?? port.port)
        if (!target || !number || !this.#isAllowed(socket, target, number)) return socket.destroy()
        return connectStreams(socket, createConnection(number.number, target.address))
      })
      this.#closing.push(listen(server, port.port, address))
    }
  }

  #isAllowed({ remoteAddress = '' }: Socket, to: Pod, port: { name: string; number: number }): boolean {
    const from = this.#pods.find(({ address }) => address === remoteAddress)
    const outside: Peer = { namespace: '', labels: {} }
    const allowed = isAllowed(this.policies, { from: from ?? outside, to, port })
    if (!allowed) this.faults.push(`network policies keep ${from?.name ?? remoteAddress} from ${to.name}, ${port.name}`)
    return allowed
  }
}

type PodSettings = Pick<Pod, 'name' | 'namespace' | 'spec' | 'network' | 'address'> & { volumes: Map<string, string> }
type OutsideSpec = Pick<ContainerSpec, 'image' | 'args' | 'env' | 'mounts'>

/** Returns the Secrets that a workload's pods require. */
function neededSecrets({ spec }: Manifest): string[] {
  const pod = (spec as Workload).template.spec
  const ofEnvironment = containersOf(pod).flatMap(({ env = [], envFrom = [] }) => [
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef),
    ...envFrom.map(({ secretRef }) => secretRef),
  ])
  const ofVolumes = (pod.volumes ?? []).map(({ secret }) => secret && { ...secret, name: secret.secretName })
  const references: (Reference | undefined)[] = [...ofEnvironment, ...ofVolumes]
  return references.flatMap((reference) => (reference && !reference.optional ? [reference.name] : []))
}

const baseSpec = (name: string, network: NetworkNamespace) => ({
  name,
  network,
  isRootReadOnly: false,
  capabilities: defaultCapabilities,
  hasNewPrivileges: true,
  resolvConf: '',
  hosts: '127.0.0.1 localhost\n',
})

const containersOf = ({ initContainers = [], containers }: PodSpec) => [...initContainers, ...containers]

const mebibyte = 2 ** 20

function bytesOf(quantity: string): number {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? []
  if (count === undefined) throw new Error(`expected a quantity of memory in Mi or Gi, not ${quantity}`)
  return Number(count) * mebibyte * (unit === 'Gi' ? 1_024 : 1)
}

function expectFields(where: string, spec: PodSpec): void {
  const unknown = [
    ...Object.keys(spec).filter((field) => !podFields.includes(field)),
    ...containersOf(spec).flatMap((one) => Object.keys(one).filter((field) => !containerFields.includes(field))),
  ]
  if (unknown.length === 0) return
  throw new Error(`${where} has ${unknown.join(', ')}, which testing/installers/cluster.ts does not run yet.`)
}

function mountsOf({ volumeMounts = [] }: ContainerManifest, volumes: Map<string, string>): Mount[] {
  return volumeMounts.map(({ name, mountPath, subPath, readOnly = false }) => {
    const folder = volumes.get(name)
    if (folder === undefined) throw new Error(`there is no volume ${name}`)
    const source = subPath === undefined ? folder : join(folder, subPath)
    return { type: 'bind', source, target: mountPath, isReadOnly: readOnly }
  })
}

async function writeFileAs(path: string, text: string, group: number | undefined): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text, { mode: 0o644 })
  if (group !== undefined) await command('chgrp', String(group), path)
}

function portOf({ spec }: Pod, port: string | number): { name: string; number: number } | undefined {
  const found = spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find(({ name, containerPort }) => name === port || containerPort === port)
  return found && { name: found.name, number: found.containerPort }
}

async function passesProbe(pod: Pod, manifest: ContainerManifest, probe: Probe): Promise<boolean> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1_000
  if (probe.exec) return (await pod.container.execute(probe.exec.command, timeoutMs)).code === 0
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? ''
  const number = manifest.ports?.find(({ name, containerPort }) => name === port || containerPort === port)
  if (!number) throw new Error(`${pod.name}: a probe asks the port ${port}, which the container does not have`)
  if (probe.tcpSocket) return acceptsConnections(pod.address, number.containerPort, timeoutMs)
  const url = `http://${pod.address}:${number.containerPort}${probe.httpGet?.path}`
  return fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

function acceptsConnections(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: timeoutMs })
    const end = (accepts: boolean) => {
      socket.destroy()
      resolve(accepts)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

function connectStreams(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  one.on('error', () => other.destroy())
  other.on('error', () => one.destroy())
  one.on('close', () => other.destroy())
  other.on('close', () => one.destroy())
}

const listen = (server: Server, port: number, address: string): Server => server.listen(port, address)
