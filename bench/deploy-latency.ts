import { setTimeout as sleep } from 'node:timers/promises'
import type { TestOrganization, World } from '@sluice/server/testing'
import { startWorld } from '@sluice/server/testing'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { useDatabase } from './database.ts'
import { budget, flags, publish, round, spread } from './report.ts'

type Target = { org: TestOrganization; moduleInstanceId: string; serviceArn: string }
type Accepted = { serviceArn: string; createdAt: number; askedAt: number; answeredAt: number }

const { rate, seconds, organizations, database: kind } = flags({ rate: 25, seconds: 20, organizations: 20 })
const total = rate * seconds

const database = await useDatabase(kind)
// Default poll intervals and realistic cloud durations, as in production.
await using world = await startWorld({ env: { SLUICE_POLL_MIN_MS: '1000', SLUICE_POLL_MAX_MS: '15000' } })

const orgs = await Promise.all(Array.from({ length: organizations }, () => world.organization()))
const warmUps = await makeTargets(orgs.length)
const targets = await makeTargets(total)
await Promise.all(warmUps.map(warmUp))
await eventually('the events of the preparation', world.cloud.delivery, ({ pending }) => pending === 0, 120_000)
await world.cloud.setSpeed(1)
await world.cloud.clearCalls()

const cpuBefore = process.cpuUsage()
const accepted = await deployAtRate(targets)
const calls = await firstCalls(world, targets)
const { user, system } = process.cpuUsage(cpuBefore)
const cpuMs = round((user + system) / 1_000 / total)

const toCall = (from: (one: Accepted) => number) =>
  spread(accepted.map((one) => (calls.get(one.serviceArn) ?? Number.NaN) - from(one)))
const fromStart = toCall(({ createdAt }) => createdAt)
const startedMs =
  Math.max(...accepted.map(({ askedAt }) => askedAt)) - Math.min(...accepted.map(({ askedAt }) => askedAt))
await publish({
  name: 'deploy-latency',
  what: [
    `POST /deployments at ${round((accepted.length - 1) / (startedMs / 1_000))}/s for ${seconds} s, each to another of`,
    `${total} rolling services of ${organizations} organizations, in a simulated cloud that runs at real speed and`,
    'delivers its events. One process is server, engine worker and load; the engine and the cloud are processes beside',
    'it. The end is the first call about the service in the log of the cloud. The budget counts from `createdAt`, the',
    'moment the request was taken up, so that accepting it is included; counted from the receipt of the 201 it is less.',
    `Until the last first call, the process took ${cpuMs} ms of processor time per deployment, whatever else ran beside it.`,
  ],
  database,
  rows: [
    {
      'ms from … to the first cloud call': '`createdAt`',
      ...fromStart,
      budget: [
        budget(fromStart.p50, (ms) => ms <= 50, 'p50 ≤ 50'),
        budget(fromStart.p99, (ms) => ms <= 500, 'p99 ≤ 500'),
      ].join(', '),
    },
    { 'ms from … to the first cloud call': 'the 201', ...toCall(({ answeredAt }) => answeredAt) },
    {
      'ms from … to the first cloud call': '(the POST itself)',
      ...spread(accepted.map((one) => one.answeredAt - one.askedAt)),
    },
  ],
})

async function makeTargets(count: number): Promise<Target[]> {
  const shares = orgs.map((org, index) => makeShare(org, Math.ceil((count - index) / orgs.length)))
  return interleaved(await Promise.all(shares))
}

/** Deploys once, because an account's first deployment also creates clients and assumes the role. */
async function warmUp({ org, moduleInstanceId }: Target): Promise<void> {
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
}

/** Creates services one after the other, because concurrent ones could select the same listener rule priority. */
async function makeShare(org: TestOrganization, count: number): Promise<Target[]> {
  const made: Target[] = []
  while (made.length < count) made.push({ org, ...(await org.service()) })
  return made
}

function interleaved<T>(lists: T[][]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

/**
 * Creates deployments at a fixed rate, whatever the response times, so that a slow service does not reduce the load.
 */
async function deployAtRate(all: Target[]): Promise<Accepted[]> {
  const start = performance.now()
  const sent = all.map(async (target, index) => {
    await sleep(Math.max(0, start + (index * 1_000) / rate - performance.now()))
    const askedAt = Date.now()
    const { createdAt } = await target.org.deploy(target.moduleInstanceId)
    return { serviceArn: target.serviceArn, createdAt: Date.parse(createdAt), askedAt, answeredAt: Date.now() }
  })
  return Promise.all(sent)
}

/**
 * Returns the time of the first cloud call for each service, in epoch milliseconds. A deployment begins with a read.
 */
async function firstCalls({ cloud }: World, wanted: Target[]): Promise<Map<string, number>> {
  const look = async () => {
    const first = new Map<string, number>()
    for (const { request, at } of await cloud.calls({ operation: 'DescribeServices', limit: 1_000_000 })) {
      const [serviceArn = ''] = (request as { services: string[] }).services
      if (!first.has(serviceArn)) first.set(serviceArn, Date.parse(at))
    }
    return first
  }
  return eventually(
    'every service to be read',
    look,
    (first) => wanted.every(({ serviceArn }) => first.has(serviceArn)),
    120_000,
  )
}
