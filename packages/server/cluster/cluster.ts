import { randomBytes } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { RunningSim, SimControl } from '@sluice/cloud-sim'
import { ProgramProcess } from '../crash/program-process.ts'
import { Progress } from '../crash/progress.ts'
import { answersReady, openReadinessProxy } from '../crash/readiness-proxy.ts'
import { type SceneOptions, sceneSettings, setScene, simIn } from '../crash/scene.ts'
import { ServiceProcess } from '../crash/service-process.ts'
import { rememberPorts } from '../src/platform/data-dir/ports.ts'
import { dieWithParent } from '../src/platform/engine/server-process.ts'
import { eventually } from '../src/testing/eventually.ts'
import { type Line, portTo } from '../src/testing/port-to.ts'
import { startEngineNodes, takesWork } from './engine-nodes.ts'
import { PostgresPair } from './postgres.ts'

/** What one process of the cluster is there for. */
export type Role = 'api' | 'worker' | 'runner' | 'engine' | 'cloud'

/** Process that restarts after each death, and that tests can freeze. */
export type Part = {
  name: string
  role: Role
  pid(): number | undefined
  kill(): Promise<unknown>
  freeze(): void
  thaw(): void
  isReady(): Promise<boolean>
}

/** Connections between parts, which tests can cut and delay. */
export type Lines = {
  'users and runners to APIs': Line
  'services to database': Line
  'services to engine': Line
  'workers to engine administration': Line
  'engine to workers': Line
  'services to cloud': Line
}

export type Cluster<People> = {
  apiUrl: string
  parts: Part[]
  lines: Lines
  postgres: PostgresPair
  cloud: SimControl
  people: People
  /** Returns the unexpected exits of running services. */
  ownEnds(): string[]
  stop(): Promise<void>
}

export type ClusterOptions<People> = Pick<SceneOptions<People>, 'speed' | 'people'> & {
  /** Empty directory for all data and logs. */
  directory: string
  /** Settings of the services, in addition to those of `sceneSettings`. */
  env?: Record<string, string>
}

const here = { host: '127.0.0.1' }
const region = 'eu-west-1'
const bucket = 'engine-snapshots'

/**
 * Starts a highly available installation on this machine: PostgreSQL with a synchronous standby, three engine nodes
 * that store everything twice, two processes of each role, and the simulated cloud. Dead processes are restarted.
 */
export async function startCluster<People>({
  directory,
  env,
  ...wishes
}: ClusterOptions<People>): Promise<Cluster<People>> {
  await chmod(directory, 0o711) // the user that runs PostgreSQL needs access to a subdirectory
  const ports = await rememberPorts(directory, portNames)
  const apiPorts = [ports.api1, ports.api2]
  const proxy = await openReadinessProxy(
    apiPorts.map((port) => `http://127.0.0.1:${port}`),
    { cutsOff: true },
  )
  const front = await portTo({ ...here, port: Number(new URL(proxy.url).port) })
  const apiUrl = `http://127.0.0.1:${front.port}`
  const postgres = await PostgresPair.start(join(directory, 'postgres'), [ports.postgres1, ports.postgres2])
  const { sim, cloud, people } = await setScene({ ...wishes, directory, apiUrl, database: { url: postgres.url } })
  await makeBucket(sim.url)
  await mkdir(join(directory, 'engine'))
  const engine = await startEngineNodes(
    join(directory, 'engine'),
    [
      { fabric: ports.fabric1, ingress: ports.ingress1, admin: ports.admin1 },
      { fabric: ports.fabric2, ingress: ports.ingress2, admin: ports.admin2 },
      { fabric: ports.fabric3, ingress: ports.ingress3, admin: ports.admin3 },
    ],
    { bucket, endpoint: sim.url, accessKeyId: 'operator', secretAccessKey: 'operator', region },
  )

  const at = (...ports: number[]) => portTo(...ports.map((port) => ({ ...here, port })))
  const lines: Lines = {
    'users and runners to APIs': front,
    'services to database': postgres.line,
    'services to engine': await at(...engine.nodes.map(({ ingressPort }) => ingressPort)),
    'workers to engine administration': await at(...engine.nodes.map(({ adminPort }) => adminPort)),
    'engine to workers': await at(ports.worker1, ports.worker2),
    'services to cloud': await at(Number(new URL(sim.url).port)),
  }
  const addressOf = (name: keyof Lines) => `http://127.0.0.1:${lines[name].port}`
  const runnerToken = `slr_${randomBytes(24).toString('hex')}`
  const settings = {
    ...sceneSettings(addressOf('services to cloud'), apiUrl),
    DATABASE_URL: postgres.url,
    ENGINE_INGRESS_URL: addressOf('services to engine'),
    ENGINE_ADMIN_URL: addressOf('workers to engine administration'),
    ENGINE_IDENTITY_KEYS: engine.publicKey,
    WORKER_URL: addressOf('engine to workers'),
    SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SLUICE_RUNNER_TOKEN: runnerToken,
    ...env,
  }
  const service = async (name: string, more: Record<string, string>) => {
    const place = join(directory, name)
    await mkdir(place)
    return new ServiceProcess(place, { ...settings, ...more }, { isKept: true })
  }
  const services = {
    'worker-1': await service('worker-1', workerEnv(ports.worker1, ports.health1)),
    'worker-2': await service('worker-2', workerEnv(ports.worker2, ports.health2)),
    'api-1': await service('api-1', { SLUICE_ROLES: 'api', PORT: String(ports.api1) }),
    'api-2': await service('api-2', { SLUICE_ROLES: 'api', PORT: String(ports.api2) }),
  }
  const runners = ['runner-1', 'runner-2'].map((name) => runnerIn(directory, name, { apiUrl, runnerToken }))
  for (const process of [...Object.values(services), ...runners]) process.start()

  const simulated = new SimulatedCloud(sim, () =>
    simIn(directory, { port: Number(new URL(sim.url).port), speed: wishes.speed }),
  )
  const apiIsReady = (port: number) => () => proxy.isReady(`http://127.0.0.1:${port}`)
  const workerIsReady = (port: number) => async () => (await answersReady(`http://127.0.0.1:${port}`)) === true
  const parts: Part[] = [
    part('api', 'api-1', services['api-1'], apiIsReady(ports.api1)),
    part('api', 'api-2', services['api-2'], apiIsReady(ports.api2)),
    part('worker', 'worker-1', services['worker-1'], workerIsReady(ports.health1)),
    part('worker', 'worker-2', services['worker-2'], workerIsReady(ports.health2)),
    ...runners.map((process, index) => part('runner', `runner-${index + 1}`, process, async () => true)),
    ...engine.nodes.map((node) => part('engine', node.name, node.process, () => takesWork(node))),
    {
      name: 'cloud',
      role: 'cloud',
      pid: () => simulated.pid,
      kill: () => simulated.kill(),
      freeze: () => simulated.signal('SIGSTOP'),
      thaw: () => simulated.signal('SIGCONT'),
      isReady: async () => (await fetch(`${sim.url}/_sim/health`).catch(() => undefined))?.ok === true,
    },
  ]
  for (const { name, isReady } of parts) await eventually(`${name} to be ready`, isReady, Boolean, 120_000)
  return {
    apiUrl,
    parts,
    lines,
    postgres,
    cloud,
    people,
    ownEnds: () =>
      Object.entries(services).flatMap(([name, { ownEnds }]) =>
        ownEnds.filter((end) => end.endsWith('when it ran')).map((end) => `${name}: ${end}`),
      ),
    async stop() {
      await Promise.all([...Object.values(services), ...runners].map((process) => process.stop()))
      await Promise.all(engine.nodes.map(({ process }) => process.stop()))
      await simulated.stop()
      await postgres.stop()
      for (const line of Object.values(lines)) line.close()
      proxy.close()
    },
  }
}

const portNames = [
  ...(['postgres1', 'postgres2', 'api1', 'api2', 'worker1', 'worker2', 'health1', 'health2'] as const),
  ...(['fabric1', 'fabric2', 'fabric3', 'ingress1', 'ingress2', 'ingress3', 'admin1', 'admin2', 'admin3'] as const),
]

const workerEnv = (port: number, healthPort: number) => ({
  SLUICE_ROLES: 'worker',
  WORKER_PORT: String(port),
  PORT: String(healthPort),
})

const part = (role: Role, name: string, process: ProgramProcess, isReady: Part['isReady']): Part => ({
  name,
  role,
  pid: () => process.pid,
  kill: () => process.kill(),
  freeze: () => process.freeze(),
  thaw: () => process.thaw(),
  isReady,
})

const runnerProgram = createRequire(import.meta.url).resolve('@sluice/runner')

function runnerIn(directory: string, name: string, api: { apiUrl: string; runnerToken: string }): ProgramProcess {
  return new ProgramProcess({
    command: 'env',
    args: [...dieWithParent(), process.execPath, runnerProgram],
    env: { SLUICE_URL: api.apiUrl, SLUICE_RUNNER_TOKEN: api.runnerToken, SLUICE_RUNNER_DIR: join(directory, name) },
    logFile: join(directory, `${name}.log`),
    isKept: true,
  })
}

/** Simulated cloud that can die and restores its state from a file. */
class SimulatedCloud {
  #sim: RunningSim
  readonly #startAgain: () => Promise<RunningSim>
  #isStopped = false

  constructor(sim: RunningSim, startAgain: () => Promise<RunningSim>) {
    this.#sim = sim
    this.#startAgain = startAgain
  }

  get pid(): number {
    return this.#sim.pid
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.#sim.pid, signal)
  }

  /** Kills the process and resolves when a new one answers. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#sim.stop() // waits for the exit
    const progress = new Progress('the simulated cloud to start again')
    while (!this.#isStopped) {
      try {
        this.#sim = await this.#startAgain()
        return
      } catch (error) {
        progress.check(error) // the state file may still be locked
      }
      await sleep(100)
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#sim.stop()
  }
}

async function makeBucket(endpoint: string): Promise<void> {
  const storage = new S3Client({ endpoint, region, forcePathStyle: true })
  await storage.send(
    new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint: region } }),
  )
  storage.destroy()
}
