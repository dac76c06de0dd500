import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DescribeServicesCommand } from '@aws-sdk/client-ecs'
import { type CallFilter, SimControl, spawnCloudSim, type Timing } from '@sluice/cloud-sim'
import type { Deployment, DeploymentAnalysis, DeploymentEvent, EcsDeploymentData, Role } from '@sluice/contract'
import { testSeed } from '../../../../testing/seed.ts'
import {
  createService,
  createStage,
  type ServiceInput,
  type ServiceSpec,
  shopNetwork,
  shopRoles,
} from '../../demo/cloud.ts'
import { connectAccount, createInstance, createProject } from '../../demo/organization.ts'
import { runnerImage, runnerPrograms } from '../../demo/runners.ts'
import { type Cloud, type CloudClients, openCloud } from '../cloud/adapter/access.ts'
import { isFinal } from '../delivery/deployments/execution/machine.ts'
import { createOrganization } from '../identity/organizations/bootstrap.ts'
import { startServer } from '../main.ts'
import { newApiKey } from '../platform/auth/api-key.ts'
import type { Clock } from '../platform/clock.ts'
import { loadConfig } from '../platform/config/load.ts'
import { rememberPorts } from '../platform/data-dir/ports.ts'
import type { Db } from '../platform/db/open.ts'
import { present } from '../platform/present.ts'
import { Client } from './client.ts'
import { connectRolePolicy } from './connect-role.ts'
import { publishContainerService } from './container-service.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { fastFolder, worldsFolder } from './folders.ts'
import { addMember } from './members.ts'
import { Pipelines } from './pipelines.ts'
import { watchChanges } from './watched-changes.ts'

const region = 'eu-west-1'

export type WorldOptions = {
  /** Cloud seconds per real second. Fast by default, because tests wait for conditions. */
  speed?: number
  /** Durations in the simulated cloud that differ from the default, in cloud seconds. */
  timing?: Partial<Timing>
  /** Start time for a server clock and cloud timestamps that run at `speed`; by default, both are real time. */
  clockEpoch?: Date
  /** Settings of the server, as environment variables. */
  env?: Record<string, string>
  /** Whether tasks in the cloud can call the API, which requires a port that is known in advance. */
  hasTasks?: boolean
  /** Clock of the server; by default the system clock. */
  clock?: Clock
  /** By default, steps may run without isolation, because all tests share one tenant. */
  hasOneTenant?: false
  /** Reports whether everything that the server needs has been set up. */
  isPrepared?: () => boolean
}

/** Retention of stopped tasks in a fast cloud, long enough for busy machines to read them. Cloud seconds. */
export const keptForDays: Partial<Timing> = { stoppedTaskKeptSeconds: 30 * 86_400 }

let shared: Promise<World> | undefined

/** Token for reading the metrics of the shared test environment. */
export const metricsToken = 'prometheus'.repeat(4)

/**
 * Returns the test environment shared by all test files of a process that change no global state. Each test has its own
 * organization and cloud account. Starting one per file would cost 4 s of processor time. It ends with the process.
 */
export function sharedWorld(): Promise<World> {
  shared ??= startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1', SLUICE_METRICS_TOKEN: metricsToken } })
  return shared
}

/**
 * Starts a complete Sluice with database, engine, simulated cloud and server. For files with settings of their own or
 * global changes to the cloud's clock or faults; others use `sharedWorld`.
 */
export async function startWorld({
  speed = 600,
  timing = {},
  clockEpoch,
  env = {},
  hasTasks,
  ...options
}: WorldOptions = {}): Promise<World> {
  const directory = await mkdtemp(join(worldsFolder(), 'sluice-world-'))
  const quick = await mkdtemp(join(fastFolder(), 'world-'))
  const database = await createTestDatabase()
  await linkData(join(directory, 'data'), { database: database.location, engine: join(quick, 'engine') })
  const sim = await spawnCloudSim({
    checksAnswers: true,
    stateFile: join(quick, 'cloud.db'),
    speed,
    ...present({ clockEpoch }),
    operatorSecret: 'operator',
    programs: runnerPrograms,
    seed: testSeed,
  })
  await new SimControl(sim.url).setTiming({ ...keptForDays, ...timing })
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const { api } = hasTasks ? await rememberPorts(directory, ['api']) : { api: 0 }
  const settings = {
    PORT: String(api),
    ...(hasTasks && { SLUICE_RUNNER_URL: `http://127.0.0.1:${api}` }),
    SLUICE_RUNNER_IMAGE: runnerImage,
    SLUICE_DATA_DIR: join(directory, 'data'),
    SLUICE_CLOUD_ENDPOINT: sim.url,
    SLUICE_LOG_LEVEL: 'warn',
    SLUICE_POLL_MIN_MS: '100',
    SLUICE_POLL_MAX_MS: '1000',
    // Tests do not wait for steps in progress at shutdown.
    SLUICE_FINISH_SECONDS: '2',
    // Tests send requests faster than users.
    SLUICE_LIMIT_REQUESTS: '1000000',
    SLUICE_LIMIT_KEY_REQUESTS: '1000000',
    SLUICE_ADMISSION_TARGET_MS: '60000',
    ...(clockEpoch && { SLUICE_CLOCK_SPEED: String(speed), SLUICE_CLOCK_EPOCH: clockEpoch.toISOString() }),
    ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    ...env,
  }
  const server = await startServer(loadConfig({ cwd: directory, env: settings }), { hasOneTenant: true, ...options })
  if (server.url === undefined) throw new Error('the world needs the role api')
  const access = openCloud({ endpoint: sim.url })
  const unwatch = watchChanges(server.db)
  return new World(server.url, server.db, sim.url, access, async () => {
    unwatch()
    access.close()
    await server.stop()
    await sim.stop()
    await database.drop()
    for (const one of [quick, directory]) await rm(one, { recursive: true, force: true })
  })
}

/** Prepares a server's data directory, with links to the fast folder for frequently written data. */
async function linkData(data: string, { database, engine }: { database: TestDatabase['location']; engine: string }) {
  await mkdir(data)
  await mkdir(engine)
  await symlink(engine, join(data, 'engine'))
  if ('directory' in database) await symlink(database.directory, join(data, 'database'))
}

export class World {
  readonly url: string
  readonly db: Db
  /** Control API of the simulated cloud: clock, faults and recorded calls. */
  readonly cloud: SimControl
  /** Direct access to the simulated cloud, without Sluice. */
  readonly access: Cloud
  readonly #end: () => Promise<void>

  constructor(url: string, db: Db, cloudUrl: string, access: Cloud, end: () => Promise<void>) {
    this.url = url
    this.db = db
    this.cloud = new SimControl(cloudUrl)
    this.access = access
    this.#end = end
  }

  /** Creates an organization with its own cloud account, so that tests are independent. */
  organization(wishes: OrganizationOptions = {}): Promise<TestOrganization> {
    return createTestOrganization(this, wishes)
  }

  /** Creates an empty organization and returns its owner's key. */
  async emptyOrganization(): Promise<string> {
    const { token } = await makeOrganization(this.db)
    return token
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }
}

export type OrganizationOptions = {
  /** Whether the cloud delivers events; otherwise only polling finds changes. */
  delivery?: boolean
  /** Whether the role has all permissions, as for creating infrastructure; by default those of the documented role. */
  mayDoAll?: boolean
  /** Whether the subnets of the services exist; the simulated cloud starts tasks without them. */
  hasNetwork?: boolean
  /** Changes to the deploy block of the module. */
  deploy?: Record<string, unknown>
}

/** ECS service and the module instance that releases to it. */
export type TestService = { moduleInstanceId: string; serviceArn: string; input: ServiceInput }

type ServiceOptions = {
  /** Changed inputs of the instance. */
  change?: { [Name in keyof ServiceInput]?: ServiceInput[Name] | undefined }
  /** Whether to wait for the service's first deployment; true by default. */
  isDeployed?: boolean
}

type TestOrganizationParts = {
  world: World
  id: string
  client: Client
  projectId: string
  roleArn: string
  externalId: string
  cloudAccountId: string
  eventSecret: string
  clients: CloudClients
  createService: (wish: ServiceSpec, options: ServiceOptions) => Promise<TestService>
}

export class TestOrganization {
  readonly id: string
  /** API client with the owner's key. */
  readonly client: Client
  /** Pipelines of its one project. */
  readonly pipelines: Pipelines
  readonly accountNumber: string
  /** ARN of the role that Sluice assumes in the account. */
  readonly roleArn: string
  readonly cloudAccountId: string
  readonly eventSecret: string
  /** Direct access to the cloud, for external changes and checks. */
  readonly clients: CloudClients
  readonly #parts: TestOrganizationParts

  constructor(parts: TestOrganizationParts) {
    this.id = parts.id
    this.client = parts.client
    this.pipelines = new Pipelines(parts.client, parts.projectId)
    this.accountNumber = parts.roleArn.split(':').at(4) ?? ''
    this.roleArn = parts.roleArn
    this.cloudAccountId = parts.cloudAccountId
    this.eventSecret = parts.eventSecret
    this.clients = parts.clients
    this.#parts = parts
  }

  /** Creates a running service and the module instance that releases to it. */
  service = (
    strategy: ServiceSpec['strategy'] = null,
    { change, isDeployed, ...wish }: Partial<ServiceSpec> & ServiceOptions = {},
  ) =>
    this.#parts.createService(
      { name: `s${randomBytes(4).toString('hex')}`, image: 'shop/app:1', strategy, ...wish },
      present({ change, isDeployed }),
    )

  /** Adds a member to the organization. */
  member = async (role: Role) => {
    const { world, id } = this.#parts
    return new Client(world.url, await addMember(world.db, id, role))
  }

  /** Denies permissions of the role that Sluice assumes, such as `ecs:UpdateService`. */
  deny = (...actions: string[]) => {
    const { world, roleArn, externalId } = this.#parts
    return world.cloud.putRole({ roleArn, externalId, policy: connectRolePolicy(roleArn), deny: actions })
  }

  /** Injects a fault into calls in this organization's account. */
  fault = (fault: Omit<Parameters<SimControl['addFault']>[0], 'account'>) =>
    this.#parts.world.cloud.addFault({ ...fault, account: this.accountNumber })

  /** Returns the recorded calls of an operation in this account, in order. */
  calls = (operation: string, filter: Omit<CallFilter, 'operation' | 'account'> = {}) =>
    this.#parts.world.cloud.calls({ ...filter, operation, account: this.accountNumber })

  /** Creates a deployment, which must be accepted. */
  async deploy(moduleInstanceId: string, image = 'shop/app:2'): Promise<Deployment> {
    const body = { data: { moduleInstanceId, description: `Release ${image}`, inputs: { image_ref: image } } }
    return this.client.done<Deployment>('POST', '/deployments', body)
  }

  get = (id: string) => this.client.done<Deployment>('GET', `/deployments/${id}`)

  /** Returns the analyses of a release so far. */
  async analyses(id: string): Promise<DeploymentAnalysis[]> {
    const { body } = await this.client.ask('GET', `/deployments/${id}?include=analysis`)
    return (body as { included?: { analysis?: DeploymentAnalysis[] } }).included?.analysis ?? []
  }

  /** Waits until the deployment satisfies `isThere`. */
  until = (id: string, what: string, isThere: (deployment: Deployment) => boolean, withinMs?: number) =>
    eventually(`${id} to be ${what}`, () => this.get(id), isThere, withinMs)

  untilStatus = (id: string, ...statuses: Deployment['status'][]) =>
    this.until(id, statuses.join(' or '), ({ status }) => statuses.includes(status))

  /** Waits for the next pause that is not in `after`, and returns its hook id. */
  async untilPaused(id: string, after: readonly string[] = []): Promise<string> {
    const isNew = (hookId: string | undefined) => hookId !== undefined && !after.includes(hookId)
    const paused = await this.until(id, 'paused anew', (deployment) => pausesOf(deployment).some(isNew))
    const hookId = pausesOf(paused).find(isNew)
    if (hookId === undefined) throw new Error('a pause has no hook')
    return hookId
  }

  continue = (id: string, hookId?: string) =>
    this.client.done<Deployment>('POST', `/deployments/${id}/continue`, {
      data: hookId === undefined ? {} : { hookId },
    })

  /** Continues at every pause until the deployment ends. */
  async continueToEnd(id: string): Promise<Deployment> {
    const continued: string[] = []
    const pendingOf = (deployment: Deployment) => pausesOf(deployment).find((hookId) => !continued.includes(hookId))
    for (;;) {
      const seen = await this.until(
        id,
        'paused anew or over',
        (one) => isFinal(one.status) || pendingOf(one) !== undefined,
      )
      const hookId = pendingOf(seen)
      if (hookId === undefined || isFinal(seen.status)) return seen
      await this.continue(id, hookId)
      continued.push(hookId)
    }
  }

  cancel = (id: string) => this.client.done<Deployment>('POST', `/deployments/${id}/cancel`)
  redeploy = (id: string) => this.client.done<Deployment>('POST', `/deployments/${id}/redeploy`)
  rollback = (id: string, toDeploymentId?: string) =>
    this.client.done<Deployment>('POST', `/deployments/${id}/rollback`, { data: present({ toDeploymentId }) })
}

export function ecsDataOf({ data }: Deployment): EcsDeploymentData {
  if (data?.type !== 'cloud:ecs') throw new Error(`the deployment has no data of cloud:ecs but of ${data?.type}`)
  return data
}

export const eventsOf = ({ data }: Deployment): DeploymentEvent[] => data?.events ?? []

/** Returns the step codes of a deployment's events, in order. */
export const stepsOf = (deployment: Deployment): string[] => eventsOf(deployment).map(({ stepCode }) => stepCode)

/** Returns the hook ids of a deployment's pauses, in order. */
export const pausesOf = (deployment: Deployment): string[] =>
  eventsOf(deployment).flatMap(({ stepCode, hookId }) => (stepCode === 'PAUSED' && hookId ? [hookId] : []))

async function makeOrganization(db: Db) {
  const name = `org-${randomBytes(5).toString('hex')}`
  const owner = { email: `owner@${name}.example`, fullName: 'Olga Owner' }
  return { name, ...(await createOrganization(db, { name, givenId: name, owner, token: newApiKey() })) }
}

async function createTestOrganization(
  world: World,
  { delivery = true, mayDoAll = false, hasNetwork = false, deploy }: OrganizationOptions,
) {
  const { db, cloud } = world
  const { name, organizationId, token } = await makeOrganization(db)
  const accountNumber = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1')
  const roleArn = `arn:aws:iam::${accountNumber}:role/sluice`
  const externalId = randomBytes(16).toString('hex')
  const eventSecret = randomBytes(16).toString('hex')
  await cloud.putRole({ roleArn, externalId, ...(mayDoAll ? {} : { policy: connectRolePolicy(roleArn) }) })
  const ownerArn = `arn:aws:iam::${accountNumber}:role/owner`
  await cloud.putRole({ roleArn: ownerArn, externalId })
  if (hasNetwork) await cloud.putNetwork({ account: accountNumber, region, ...shopNetwork })
  for (const role of shopRoles(accountNumber)) await cloud.putRole(role)
  const connection = { givenId: 'main', name: 'Main', roleArn, externalId, eventSecret }
  const cloudAccountId = await connectAccount(db, organizationId, connection)
  if (delivery) {
    const url = `${world.url}/cloud-accounts/${cloudAccountId}/events`
    await cloud.putDelivery({ account: accountNumber, url, headers: { 'x-sluice-event-secret': eventSecret } })
  }
  const { projectId, environmentIds } = await createProject(db, organizationId, {
    givenId: 'shop',
    name: 'Shop',
    environmentNames: ['production'],
  })
  const version = await publishContainerService(db, organizationId, deploy)
  const account = { id: cloudAccountId, organizationId, roleArn: ownerArn, externalId }
  const clients = world.access.clientsFor(account, region)
  const stage = await createStage(clients, name)

  return new TestOrganization({
    world,
    id: organizationId,
    client: new Client(world.url, token),
    projectId,
    roleArn,
    externalId,
    cloudAccountId,
    eventSecret,
    clients,
    async createService(wish, { change, isDeployed = true }) {
      const input = await createService(clients, stage, wish)
      if (isDeployed) await untilFirstDeployed(clients, input)
      const place = { organizationId, projectId, environmentId: environmentIds[0] ?? '' }
      const named = { givenId: wish.name, name: wish.name }
      const moduleInstanceId = await createInstance(db, { ...place, ...named, version, input: { ...input, ...change } })
      return { moduleInstanceId, serviceArn: input.service_arn, input }
    },
  })
}

/** Waits for a service's first deployment, because a release during it would have no version to roll back to. */
async function untilFirstDeployed({ ecs }: CloudClients, { cluster_arn, service_arn }: ServiceInput): Promise<void> {
  const describe = new DescribeServicesCommand({ cluster: cluster_arn, services: [service_arn] })
  const rolloutState = async () => (await ecs.send(describe)).services?.[0]?.deployments?.[0]?.rolloutState
  await eventually(`${service_arn} to run`, rolloutState, (state) => state === 'COMPLETED')
}
