import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, isDeploymentOver } from '@sluice/contract'
import { type Installation, openInstallation, type Part } from '../packages/server/crash/installation.ts'
import { Client } from '../packages/server/src/testing/client.ts'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import type { World } from '../packages/server/src/testing/world.ts'
import { costOf } from './cpu-time.ts'
import { useDatabase } from './database.ts'
import { budget, flags, processorMs, publish, type Row, round } from './report.ts'

const { most, requests, deployments, warm, connections } = flags({
  /** Maximum number of processes per role. */
  most: 3,
  /** Numbers of requests, deployments and connections per process. */
  requests: 3_000,
  deployments: 60,
  warm: 40,
  connections: 8,
})

type People = { token: string; moduleInstanceIds: string[] }

const pageSize = 20
/** Number of services per process. */
const servicesEach = 4
/** Processor time per request or deployment over all processes of a role, in milliseconds. */
type Cost = { request: number; ofDatabase: number; deployment: number; ofEngine: number; ofDatabaseEach: number }

const database = await useDatabase('postgres')
const rows: Row[] = []
let first: Cost | undefined
for (let count = 1; count <= most; count += 1) {
  const { cost, shares } = await measure(count)
  first ??= cost
  const grows = Math.max(cost.request / first.request, cost.deployment / first.deployment)
  rows.push({
    'processes of each role': count,
    'API ms a request': round(cost.request),
    'database ms a request': round(cost.ofDatabase),
    'worker ms a deployment': round(cost.deployment),
    'engine ms a deployment': round(cost.ofEngine),
    'database ms a deployment': round(cost.ofDatabaseEach),
    'shares of the workers': shares.map((share) => `${Math.round(share * 100)} %`).join(', '),
    ...(count > 1 && { budget: budget(grows, (ratio) => ratio <= 1.25, '≤ 1.25 of what it costs with one process') }),
  })
}
await publish({
  name: 'growing',
  what: [
    `One to ${most} processes of the API and as many workers, on one PostgreSQL and one engine, each with the same to do: ${requests} lists of deployments`,
    `from ${connections} clients of each API, then ${deployments} rolling deployments for each worker, whose address to the engine is a balancer of connections.`,
    'Processor time of all processes of a role together for one request or deployment: where it stays the same, as many processes do as much more as the',
    'cores, the database and the engine allow. That of the API while deployments are carried out is left out, as is what they take when idle.',
  ],
  database,
  rows,
})

async function measure(count: number): Promise<{ cost: Cost; shares: number[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-growing-'))
  const installation = await openInstallation<People>(directory, {
    speed: 600,
    people: (world: World) => settle(world, count),
    ofEachRole: count,
  })
  try {
    await read(installation, Math.ceil(requests / 10)) // warms up all code
    await release(installation, Math.max(pageSize, warm * count)) // fills the pages, whatever the number of processes
    const reading = await timesOf(installation, () => read(installation, requests))
    const releasing = await timesOf(installation, () => release(installation, deployments * count))
    const workers = sum(releasing.workers)
    return {
      cost: {
        request: sum(reading.apis) / (requests * count),
        ofDatabase: reading.database / (requests * count),
        deployment: workers / (deployments * count),
        ofEngine: releasing.engine / (deployments * count),
        ofDatabaseEach: releasing.database / (deployments * count),
      },
      shares: releasing.workers.map((ms) => ms / workers),
    }
  } finally {
    await installation.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function settle(world: World, count: number): Promise<People> {
  const organization = await world.organization()
  const moduleInstanceIds: string[] = []
  while (moduleInstanceIds.length < servicesEach * count)
    moduleInstanceIds.push((await organization.service()).moduleInstanceId)
  return { token: organization.client.token, moduleInstanceIds }
}

/** Number of concurrent clients per process that request lists. */
async function read({ apiUrls, people }: Installation<People>, each: number): Promise<void> {
  await Promise.all(
    apiUrls.flatMap((url) => {
      let left = each
      return Array.from({ length: connections }, async () => {
        const client = new Client(url, people.token)
        while (left > 0) {
          left -= 1
          await client.done('GET', `/deployments?limit=${pageSize}`)
        }
      })
    }),
  )
}

/** Releases to each service, one deployment after the other, up to a total. */
async function release({ apiUrls, people }: Installation<People>, total: number): Promise<void> {
  let left = total
  await Promise.all(
    people.moduleInstanceIds.map(async (moduleInstanceId, index) => {
      const client = new Client(apiUrls[index % apiUrls.length] ?? '', people.token)
      while (left > 0) {
        left -= 1
        const data = { moduleInstanceId, description: 'Growing', inputs: { image_ref: `shop/app:${left + 2}` } }
        const { id } = await client.done<Deployment>('POST', '/deployments', { data })
        const get = () => client.done<Deployment>('GET', `/deployments/${id}`)
        await eventually(`${id} to be over`, get, ({ status }) => isDeploymentOver(status))
      }
    }),
  )
}

type Times = { apis: number[]; workers: number[]; engine: number; database: number }

/**
 * Returns the processor time in milliseconds of each process, the engine and the database during some work, minus that
 * of an equally long idle period.
 */
async function timesOf(installation: Installation<People>, work: () => Promise<void>): Promise<Times> {
  const from = performance.now()
  const whole = await takenBy(installation, work)
  const tookMs = performance.now() - from
  const idle = await takenBy(installation, () => sleep(tookMs))
  const net = (ms: number, ofIdle = 0) => Math.max(0, ms - ofIdle)
  return {
    apis: whole.apis.map((ms, index) => net(ms, idle.apis[index])),
    workers: whole.workers.map((ms, index) => net(ms, idle.workers[index])),
    engine: net(whole.engine, idle.engine),
    database: net(whole.database, idle.database),
  }
}

async function takenBy({ apis, workers }: Installation<People>, work: () => Promise<unknown>): Promise<Times> {
  const now = () => ({ apis: apis.map(timeOf), workers: workers.map(timeOf) })
  const before = now()
  const { database = 0, engine = 0 } = await costOf(work)
  const after = now()
  const since = (times: number[], from: number[]) => times.map((ms, index) => ms - (from[index] ?? 0))
  return { apis: since(after.apis, before.apis), workers: since(after.workers, before.workers), engine, database }
}

function timeOf({ process }: Part): number {
  return processorMs(process.pid ?? 0)
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
