import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, type DeploymentStatus, isDeploymentOver } from '@sluice/contract'
import { sceneSettings, setScene } from '../packages/server/crash/scene.ts'
import { ServiceProcess } from '../packages/server/crash/service-process.ts'
import { openDataDir } from '../packages/server/src/platform/data-dir/open.ts'
import { createTestDatabase, type TestDatabase } from '../packages/server/src/testing/database.ts'
import { freePort } from '../packages/server/src/testing/free-port.ts'
import type { TestOrganization, World } from '../packages/server/src/testing/world.ts'
import { processorTimes } from './cpu-time.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, type Row, round } from './report.ts'

const {
  seconds,
  ramp,
  first,
  organizations,
  services,
  controls,
  reads,
  target,
  database: kind,
} = flags({
  /** How long twice the capacity is offered. */
  seconds: 60,
  /** How long each rate of the ramp is offered. */
  ramp: 15,
  /** The first rate of the ramp, in deployments per second. */
  first: 4,
  /** Organizations beside the greedy one. */
  organizations: 4,
  /** Services of each organization; the greedy one has three times as many. */
  services: 20,
  /** How many deployments are continued, cancelled and rolled back during the overload. */
  controls: 10,
  /** Reads per second during the overload. */
  reads: 10,
  /** SLUICE_ADMISSION_TARGET_MS. */
  target: 1_000,
})

type Caller = { token: string; moduleInstanceIds: string[] }
type People = {
  greedy: Caller
  modest: Caller[]
  /** Sends the requests that act on existing deployments; has as many services for each. */
  operator: { token: string; paused: string[]; released: string[] }
}

/** The rate of the ramp grows by this factor until the service cannot keep up. */
const rampFactor = 1.5
/** The service keeps up with a rate if it finishes at least this share of it. */
const keepsUpShare = 0.85
/** The first seconds of each rate do not count: its first deployments cannot have ended yet. */
const warmUpS = Math.min(5, ramp / 2)
/** Share of the offered deployments that the greedy organization sends. */
const greedyShare = 0.75
/** The longest wait for the end of what was accepted. */
const maxDrainMs = 600_000

const database = await useDatabase(kind)
await using parts = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-overload-'))
parts.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
const { service, url, people, cloud } = await startService()

/** Accepted deployments. */
const accepted = new Map<string, Pick<Deployment, 'moduleInstanceId' | 'createdAt'>>()
const log = readStatusChanges(service.logFile)
const warmUpCount = Math.min(10, services)
for (let index = 0; index < warmUpCount; index += 1) await deploy(people.greedy)
await untilOver()
await preparePauses()
await cloud.clearCalls()

const capacity = await findCapacity()
const offered = 2 * capacity.perSecond
const overloadedFrom = Date.now()
const processorBefore = processorS()
const measured = await overload(offered)
const offeredUntil = Date.now()
const processorOverload = processorS() - processorBefore
await untilOver()
const drainedAt = Math.max(...log.ends.values())
const goodput = endsPerSecond(overloadedFrom + warmUpS * 1_000, offeredUntil)
const backlog = [...accepted.keys()].filter((id) => (log.ends.get(id) ?? 0) > offeredUntil).length
const drainS = Math.max(0, (drainedAt - offeredUntil) / 1_000)
const lost = [...accepted.keys()].filter((id) => log.statuses.get(id) !== 'SUCCESS').length
const repeated = await countRepeated()
const share = round(goodput / capacity.perSecond)

await publish({
  name: 'overload',
  what: [
    `One process with all roles. A ramp finds the best goodput, in deployments that end per second; then twice as many are`,
    `offered for ${seconds} s, ${greedyShare * 100} % of them by one of ${organizations + 1} organizations. Meanwhile, others read ${reads} times a second, and`,
    `${controls} deployments each are continued, cancelled and rolled back. No request is repeated. Accepted deployments that do not`,
    'end with SUCCESS are lost; those for which the cloud was asked to register more than one task definition are repeated.',
  ],
  database,
  rows: [
    ...measured.map(rowOf),
    {
      requests: 'deployments that ended',
      'per second': round(goodput),
      'best per second': round(capacity.perSecond),
      'per processor second': round((goodput * seconds) / processorOverload),
      'best per processor second': round(capacity.perProcessorSecond),
      ratio: share,
      budget: budget(share, (value) => value >= 0.9, '≥ 0.9'),
    },
    {
      requests: 'accepted deployments',
      count: accepted.size,
      lost,
      repeated,
      'started out of order': countOutOfOrder(),
      budget: budget(lost + repeated, (count) => count === 0, 'none lost or repeated'),
    },
    {
      requests: 'deployments not ended after the overload',
      count: backlog,
      'per second': drainS === 0 ? 0 : round(backlog / drainS),
      'drain s': round(drainS),
    },
  ],
})

async function startService() {
  const { url: databaseUrl, location, drop } = await openDatabaseOfService()
  parts.defer(drop)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { sim, cloud, people } = await setScene<People>({
    directory,
    database: location,
    apiUrl: url,
    speed: 60,
    people: settle,
  })
  parts.defer(() => sim.stop())
  const service = new ServiceProcess(directory, {
    PORT: String(port),
    ...sceneSettings(sim.url, url),
    SLUICE_POLL_MIN_MS: '1000',
    SLUICE_POLL_MAX_MS: '15000',
    SLUICE_LOG_LEVELS: 'requests=warn',
    SLUICE_ADMISSION_TARGET_MS: String(target),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  })
  service.start()
  parts.defer(() => service.stop())
  await service.ready()
  return { service, url, people, cloud }
}

/** Creates a database on the server. Without one, returns the embedded one in the service's data directory. */
async function openDatabaseOfService(): Promise<TestDatabase> {
  if (kind === 'postgres') return createTestDatabase()
  const dataDir = await openDataDir(join(directory, 'data'))
  const location = { directory: dataDir.inside('database') }
  dataDir.close()
  return { location, url: undefined, drop: async () => {} }
}

async function settle(world: World): Promise<People> {
  const deploy = { concurrency: { queue_size: 100, queue_overflow: 'reject' } }
  const make = async (count: number): Promise<Caller> => {
    const org = await world.organization({ deploy })
    return { token: org.client.token, moduleInstanceIds: await instancesOf(org, count) }
  }
  const [greedy, operator, ...modest] = await Promise.all([
    make(3 * services),
    makeOperator(await world.organization()),
    ...Array.from({ length: organizations }, () => make(services)),
  ])
  return { greedy, operator, modest }
}

async function makeOperator(org: TestOrganization): Promise<People['operator']> {
  const pause_stages = [{ stage: 'PRE_SCALE_UP', timeout_in_minutes: 20_000, timeout_action: 'ROLLBACK' }]
  const paused = await instancesOf(org, 2 * controls, { type: 'blue_green', bake_time_in_minutes: 0, pause_stages })
  return { token: org.client.token, paused, released: await instancesOf(org, controls) }
}

/** One after the other: priorities on a listener are counted, and two at a time would choose the same. */
async function instancesOf(org: TestOrganization, count: number, strategy: object | null = null): Promise<string[]> {
  const made: string[] = []
  while (made.length < count) {
    const { moduleInstanceId } = await org.service(strategy as Parameters<typeof org.service>[0])
    made.push(moduleInstanceId)
  }
  return made
}

type Asked = { status: number; ms: number; body: unknown }

async function ask(token: string, method: string, path: string, data?: object): Promise<Asked> {
  const from = performance.now()
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(data && { 'content-type': 'application/json' }) },
    ...(data && { body: JSON.stringify({ data }) }),
  })
  const body: unknown = await response.json()
  return { status: response.status, ms: performance.now() - from, body }
}

/** Takes the services of a caller by turns. */
async function deploy({ token, moduleInstanceIds }: Caller): Promise<Asked> {
  const moduleInstanceId = moduleInstanceIds.shift() ?? ''
  moduleInstanceIds.push(moduleInstanceId)
  const inputs = { image_ref: `shop/app:${(accepted.size % 5) + 2}` }
  const asked = await ask(token, 'POST', '/deployments', { moduleInstanceId, description: 'overload', inputs })
  if (asked.status === 201) {
    const { id, createdAt } = (asked.body as { data: Deployment }).data
    accepted.set(id, { moduleInstanceId, createdAt })
  }
  return asked
}

/** Releases the services of the operator, and waits until the deployments are as they are acted on later. */
async function preparePauses(): Promise<void> {
  const { token, paused, released } = people.operator
  const release = async (moduleInstanceId: string, image: string): Promise<string> => {
    const data = { moduleInstanceId, description: 'prepared', inputs: { image_ref: image } }
    const { status, body } = await ask(token, 'POST', '/deployments', data)
    if (status === 201) return (body as { data: Deployment }).data.id
    if (status !== 429) throw new Error(`a deployment was rejected with ${status}: ${JSON.stringify(body)}`)
    await sleep(1_000)
    return release(moduleInstanceId, image)
  }
  const releaseAll = (ids: string[], image: string) => Promise.all(ids.map((id) => release(id, image)))
  const untilEnded = async (ids: string[]) => {
    while (!ids.every((id) => log.ends.has(id))) {
      await sleep(200)
      await log.read()
    }
  }
  await untilEnded(await releaseAll(released, 'shop/app:2'))
  const latest = await releaseAll(released, 'shop/app:3')
  await untilEnded(latest)
  const waiting = await releaseAll(paused, 'shop/app:2')
  for (const id of waiting) {
    while (!(await isPaused(token, id))) await sleep(200)
  }
  people.operator = { token, paused: waiting, released: latest }
}

async function isPaused(token: string, id: string): Promise<boolean> {
  const { body } = await ask(token, 'GET', `/deployments/${id}`)
  const { events } = (body as { data: { data: { events?: { stepCode: string }[] } } }).data.data
  return events?.some(({ stepCode }) => stepCode === 'PAUSED') ?? false
}

/** The most deployments that end per second, at growing rates until the service cannot keep up. */
async function findCapacity() {
  let best = { perSecond: 0, perProcessorSecond: 0 }
  for (let rate = first; ; rate *= rampFactor) {
    const from = Date.now()
    const before = processorS()
    await atRate(rate, ramp, () => deploy(anyOf([people.greedy, ...people.modest])))
    const until = Date.now()
    const processor = processorS() - before
    await untilOver()
    const reached = endsPerSecond(from + warmUpS * 1_000, until)
    console.log(`${round(rate)} deployments/s offered: ${round(reached)} ended per second`)
    if (reached > best.perSecond) best = { perSecond: reached, perProcessorSecond: (reached * ramp) / processor }
    if (reached < keepsUpShare * rate) return best
  }
}

type Measured = { what: string; asked: Asked[]; isLimited: boolean }

async function overload(rate: number): Promise<Measured[]> {
  const { greedy, modest, operator } = people
  const everyone = [greedy, ...modest]
  const known = [...accepted].slice(-20).map(([id]) => id)
  const readable = await Promise.all(everyone.map(async ({ token }) => ({ token, ids: await idsOf(token, known) })))
  const readAny = () => {
    const { token, ids } = anyOf(readable)
    const paths = ['/deployments?limit=50', '/auth/whoami', '/projects', ...ids.map((id) => `/deployments/${id}`)]
    return ask(token, 'GET', anyOf(paths))
  }
  const { token } = operator
  const control = (ids: string[], act: string, count: number) => {
    const acted = ids.splice(0, count)
    return atRate(acted.length / seconds, seconds, () => {
      const id = acted.shift()
      return ask(token, 'POST', `/deployments/${id}/${act}`, {})
    })
  }
  const [ofGreedy, ofModest, read, continued, cancelled, rolledBack] = await Promise.all([
    atRate(rate * greedyShare, seconds, () => deploy(greedy)),
    atRate(rate * (1 - greedyShare), seconds, () => deploy(anyOf(modest))),
    atRate(reads, seconds, readAny),
    control(operator.paused, 'continue', controls),
    control(operator.paused, 'cancel', controls),
    control(operator.released, 'rollback', controls),
  ])
  return [
    { what: 'POST /deployments, greedy', asked: ofGreedy, isLimited: true },
    { what: 'POST /deployments, others', asked: ofModest, isLimited: true },
    { what: 'reads', asked: read, isLimited: false },
    { what: 'continue', asked: continued, isLimited: false },
    { what: 'cancel', asked: cancelled, isLimited: false },
    { what: 'rollback', asked: rolledBack, isLimited: false },
  ]
}

async function idsOf(token: string, among: string[]): Promise<string[]> {
  const { body } = await ask(token, 'GET', '/deployments?limit=50')
  const found = (body as { data: Deployment[] }).data.map(({ id }) => id)
  return found.filter((id) => among.includes(id))
}

/** Sends at the rate whatever the answers take: a slow service must not slow down its callers. */
async function atRate(rate: number, forSeconds: number, send: () => Promise<Asked>): Promise<Asked[]> {
  const from = performance.now()
  const sent = Array.from({ length: Math.max(1, Math.floor(rate * forSeconds)) }, async (_, index) => {
    await sleep(Math.max(0, from + (index * 1_000) / rate - performance.now()))
    return send()
  })
  return Promise.all(sent)
}

function anyOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T
}

function rowOf({ what, asked, isLimited }: Measured): Row {
  const count = (from: number) => asked.filter(({ status }) => status >= from && status < from + 100).length
  const limited = asked.filter(({ status }) => status === 429).length
  const ms = asked.filter(({ status }) => status < 400).map((one) => one.ms)
  const p99 = round(percentile(ms, 0.99))
  const isGraceful = count(500) === 0 && (isLimited || (p99 <= 1_000 && count(200) === asked.length))
  return {
    requests: what,
    count: asked.length,
    answered: count(200),
    limited,
    'other 4xx': count(400) - limited,
    '5xx': count(500),
    'p50 ms': round(percentile(ms, 0.5)),
    'p99 ms': p99,
    budget: budget(Number(isGraceful), Boolean, isLimited ? 'no 5xx' : 'all 2xx, p99 ≤ 1 s'),
  }
}

/** Follows the status changes of deployments in the log of the service, which costs the database nothing. */
function readStatusChanges(file: string) {
  const ends = new Map<string, number>()
  const statuses = new Map<string, DeploymentStatus>()
  const starts: string[] = []
  let length = 0
  return {
    ends,
    statuses,
    /** In the order of their starts. */
    starts,
    async read(): Promise<void> {
      const text = (await readFile(file, 'utf8')).slice(length)
      const complete = text.slice(0, text.lastIndexOf('\n') + 1)
      length += complete.length
      for (const line of complete.split('\n')) {
        if (!line.includes('a deployment moved')) continue
        const { id, to, time } = JSON.parse(line) as { id: string; to: DeploymentStatus; time: string | number }
        statuses.set(id, to)
        if (to === 'IN_PROGRESS') starts.push(id)
        if (isDeploymentOver(to)) ends.set(id, new Date(time).getTime())
      }
    },
  }
}

async function untilOver(): Promise<void> {
  const deadline = performance.now() + maxDrainMs
  while (performance.now() < deadline) {
    await log.read()
    if ([...accepted.keys()].every((id) => log.ends.has(id))) return
    await sleep(500)
  }
}

function endsPerSecond(from: number, until: number): number {
  const inTime = [...accepted.keys()].filter((id) => {
    const at = log.ends.get(id) ?? 0
    return at >= from && at < until
  })
  return inTime.length / ((until - from) / 1_000)
}

/** Of all processes of the benchmark. */
function processorS(): number {
  return Object.values(processorTimes()).reduce((sum, ms) => sum + ms, 0) / 1_000
}

/** Deployments that started after a later one of the same module instance. */
function countOutOfOrder(): number {
  const latest = new Map<string, string>()
  let count = 0
  for (const id of log.starts) {
    const { moduleInstanceId, createdAt } = accepted.get(id) ?? {}
    if (moduleInstanceId === undefined || createdAt === undefined) continue
    if (createdAt < (latest.get(moduleInstanceId) ?? '')) count += 1
    latest.set(moduleInstanceId, createdAt)
  }
  return count
}

/** Each deployment registers one task definition, which is tagged with its ID. */
async function countRepeated(): Promise<number> {
  const calls = await cloud.calls({ operation: 'RegisterTaskDefinition', limit: 1_000_000 })
  const counts = new Map<string, number>()
  for (const { request } of calls) {
    const [id] = JSON.stringify(request).match(/dep_[0-9a-z]{26}/) ?? []
    if (id !== undefined && accepted.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return [...counts.values()].filter((count) => count > 1).length
}
