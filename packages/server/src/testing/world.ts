import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { createService, createStage, type ServiceWish } from '../../demo/cloud.ts'
import { connectAccount, createInstance, createProject, publishContainerService } from '../../demo/organization.ts'
import { openCloud } from '../cloud/access.ts'
import { startServer } from '../main.ts'
import { createOrganization } from '../organizations/bootstrap.ts'
import { newApiKey } from '../platform/auth/api-key.ts'
import { loadConfig } from '../platform/config/load.ts'
import type { Db } from '../platform/db/open.ts'
import { Client } from './client.ts'
import { createTestDatabase } from './database.ts'
import { eventually } from './eventually.ts'

const region = 'eu-west-1'

export type WorldWishes = {
  /** Cloud seconds per second. Fast by default: a test waits for conditions, not for the clock. */
  speed?: number
  /** Settings of the server, as environment variables. */
  env?: Record<string, string>
}

/** A whole Sluice for one test file: database, engine, simulated cloud and server, all real, all its own. */
export async function startWorld({ speed = 600, env = {} }: WorldWishes = {}): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-world-'))
  const database = await createTestDatabase()
  const sim = await spawnCloudSim({ stateFile: join(directory, 'cloud.db'), speed })
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const settings = {
    PORT: '0',
    SLUICE_DATA_DIR: join(directory, 'data'),
    SLUICE_CLOUD_ENDPOINT: sim.url,
    SLUICE_LOG_LEVEL: 'warn',
    SLUICE_POLL_MIN_MS: '100',
    SLUICE_POLL_MAX_MS: '1000',
    ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    ...env,
  }
  const server = await startServer(loadConfig({ cwd: directory, env: settings }))
  if (server.url === undefined) throw new Error('the world needs the role api')
  return new World(server.url, server.db, sim.url, async () => {
    await server.stop()
    await sim.stop()
    await database.drop()
    await rm(directory, { recursive: true, force: true })
  })
}

export class World {
  readonly url: string
  readonly db: Db
  /** The simulated cloud's control interface: its clock, its faults, and the calls it was asked. */
  readonly cloud: SimControl
  readonly #end: () => Promise<void>

  constructor(url: string, db: Db, cloudUrl: string, end: () => Promise<void>) {
    this.url = url
    this.db = db
    this.cloud = new SimControl(cloudUrl)
    this.#end = end
  }

  /** An organization with its own cloud account, so that no test sees another's. */
  organization(wishes: OrganizationWishes = {}): Promise<TestOrganization> {
    return createTestOrganization(this, wishes)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }
}

export type OrganizationWishes = {
  /** Whether the cloud tells us of events; without, only looking finds out. */
  delivery?: boolean
  /** Changes to the deploy block of the module. */
  deploy?: Record<string, unknown>
}

export class TestOrganization {
  readonly id: string
  readonly client: Client
  readonly accountNumber: string
  readonly cloudAccountId: string
  readonly eventSecret: string
  readonly #createService: (wish: ServiceWish) => Promise<{ moduleInstanceId: string; serviceArn: string }>

  constructor(parts: {
    id: string
    client: Client
    accountNumber: string
    cloudAccountId: string
    eventSecret: string
    createService: (wish: ServiceWish) => Promise<{ moduleInstanceId: string; serviceArn: string }>
  }) {
    this.id = parts.id
    this.client = parts.client
    this.accountNumber = parts.accountNumber
    this.cloudAccountId = parts.cloudAccountId
    this.eventSecret = parts.eventSecret
    this.#createService = parts.createService
  }

  /** A running service in the cloud and the module instance that releases to it. */
  service = (strategy: ServiceWish['strategy'] = null, wish: Partial<ServiceWish> = {}) =>
    this.#createService({ name: `s${randomBytes(4).toString('hex')}`, image: 'shop/app:1', strategy, ...wish })

  /** Accepts a deployment; it must be. */
  async deploy(moduleInstanceId: string, image = 'shop/app:2'): Promise<Deployment> {
    const body = { data: { moduleInstanceId, description: `Release ${image}`, inputs: { image_ref: image } } }
    return this.client.done<Deployment>('POST', '/deployments', body)
  }

  get = (id: string) => this.client.done<Deployment>('GET', `/deployments/${id}`)

  /** Waits until the deployment is as `isThere` says. */
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

  cancel = (id: string) => this.client.done<Deployment>('POST', `/deployments/${id}/cancel`)
  redeploy = (id: string) => this.client.done<Deployment>('POST', `/deployments/${id}/redeploy`)
}

/** The hook ids of the pauses that a deployment went through, in order. */
export const pausesOf = ({ data }: Deployment): string[] =>
  data?.type === 'cloud:ecs'
    ? (data.events ?? []).flatMap(({ stepCode, hookId }) => (stepCode === 'PAUSED' && hookId ? [hookId] : []))
    : []

/** The step codes of a deployment's events, in order. */
export const stepsOf = ({ data }: Deployment): string[] =>
  data?.type === 'cloud:ecs' ? (data.events ?? []).map(({ stepCode }) => stepCode) : []

async function createTestOrganization(world: World, { delivery = true, deploy }: OrganizationWishes) {
  const { db, cloud } = world
  const name = `org-${randomBytes(5).toString('hex')}`
  const owner = { email: `owner@${name}.example`, fullName: 'Olga Owner' }
  const { organizationId, token } = await createOrganization(db, { name, givenId: name, owner, token: newApiKey() })
  const accountNumber = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1')
  const roleArn = `arn:aws:iam::${accountNumber}:role/sluice`
  const externalId = randomBytes(16).toString('hex')
  const eventSecret = randomBytes(16).toString('hex')
  await cloud.putRole({ roleArn, externalId })
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
  const access = openCloud({ endpoint: cloud.url })
  const account = { id: cloudAccountId, organizationId, roleArn, externalId }
  const clients = access.clientsFor(account, region)
  const stage = await createStage(clients, name)

  return new TestOrganization({
    id: organizationId,
    client: new Client(world.url, token),
    accountNumber,
    cloudAccountId,
    eventSecret,
    async createService(wish) {
      const input = await createService(clients, stage, wish)
      const place = { organizationId, projectId, environmentId: environmentIds[0] ?? '' }
      const moduleInstanceId = await createInstance(db, {
        ...place,
        version,
        givenId: wish.name,
        name: wish.name,
        input,
      })
      return { moduleInstanceId, serviceArn: input.service_arn }
    },
  })
}
