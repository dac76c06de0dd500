import { setTimeout as sleep } from 'node:timers/promises'
import { startWorld, type TestOrganization } from '@sluice/server/testing'
import { sql } from '../packages/server/src/platform/db/drizzle.ts'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { processorTimes } from './cpu-time.ts'
import { useDatabase } from './database.ts'
import { countEngineCalls } from './engine-calls.ts'
import { budget, flags, publish, round } from './report.ts'
import { countStatements } from './statements.ts'

type Target = { org: TestOrganization; moduleInstanceId: string }

const {
  deployments,
  rate,
  organizations,
  settle,
  traces,
  database: kind,
} = flags({
  deployments: 120,
  rate: 10,
  organizations: 10,
  settle: 20,
  /** Local port of a trace receiver; 0 sends no traces. */
  traces: 0,
})

const database = await useDatabase(kind)
const statements = countStatements()
const engineCalls = countEngineCalls()
// Default poll intervals and realistic cloud durations, as in production.
const env = {
  SLUICE_POLL_MIN_MS: '1000',
  SLUICE_POLL_MAX_MS: '15000',
  ...(traces > 0 && { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${traces}` }),
}
await using world = await startWorld({ env })
const orgs = await Promise.all(Array.from({ length: organizations }, () => world.organization()))
const targets = (await Promise.all(orgs.map(makeShare))).flat()

await deployAll(targets) // warms up all code
await world.cloud.setSpeed(1)
await eventually('the events of the preparation', world.cloud.delivery, ({ pending }) => pending === 0, 120_000)
await sleep(settle * 1_000)
await world.cloud.clearCalls()

const whole = await costOf(() => deployAll(targets))
const { length: cloudCalls } = await world.cloud.calls({ limit: 1_000_000 })
const idle = await costOf(() => sleep(whole.seconds * 1_000))

const net = (who: string) => Math.max(0, (whole.times[who] ?? 0) - (idle.times[who] ?? 0))
const ours = Object.keys(whole.times).filter((who) => who !== 'cloud')
const each = (total: number) => round(total / deployments)
const all = each(ours.reduce((sum, who) => sum + net(who), 0))
const statementsEach = each(whole.statements - idle.statements)
const callsEach = each(whole.engineCalls - idle.engineCalls)

await publish({
  name: 'deployment-cost',
  what: [
    `${deployments} rolling deployments, ${rate} a second, each to a service of its own, of ${organizations} organizations; the second of each service.`,
    `The cloud runs at real speed and delivers its events. From the first POST until ${settle} s after the last has ended, so that what`,
    'comes after the end is counted; what the same processes do in as long a time in which nothing is deployed is taken off.',
    'Processor time of all processes together, the simulated cloud left out: API, worker and load (and the embedded database) are the',
    'server. Milliseconds each. Messages are the calls that the engine makes: one for each message and each timer.',
    ...(traces > 0 ? ['All of it is traced, and the traces are sent.'] : []),
  ],
  database,
  rows: [
    {
      'processor ms each': all,
      ...Object.fromEntries(ours.map((who) => [who, each(net(who))])),
      ...(kind === 'postgres' && { statements: statementsEach }),
      'engine messages': callsEach,
      'cloud calls': each(cloudCalls),
      budget: [
        budget(all, (ms) => ms <= 65, '≤ 65 ms'),
        ...(kind === 'postgres' ? [budget(statementsEach, (count) => count <= 30, '≤ 30 statements')] : []),
        budget(callsEach, (count) => count <= 5, '≤ 5 messages'),
        budget(each(cloudCalls), (count) => count <= 9, '≤ 9 cloud calls'),
      ].join(', '),
    },
  ],
})

/** Creates services one after the other, because concurrent ones could select the same listener rule priority. */
async function makeShare(org: TestOrganization, index: number): Promise<Target[]> {
  const made: Target[] = []
  const wanted = Math.ceil((deployments - index) / organizations)
  while (made.length < wanted) made.push({ org, ...(await org.service()) })
  return made
}

async function costOf(work: () => Promise<unknown>) {
  const from = {
    at: performance.now(),
    times: processorTimes(),
    statements: statements.count,
    calls: engineCalls.count,
  }
  await work()
  const after = processorTimes()
  return {
    seconds: (performance.now() - from.at) / 1_000,
    times: Object.fromEntries(Object.entries(after).map(([who, ms]) => [who, ms - (from.times[who] ?? 0)])),
    statements: statements.count - from.statements,
    engineCalls: engineCalls.count - from.calls,
  }
}

/** Creates deployments at a fixed rate and waits until all have succeeded and follow-up work is done. */
async function deployAll(all: readonly Target[]): Promise<void> {
  const wanted = (await succeeded()) + all.length
  const start = performance.now()
  await Promise.all(
    all.map(async ({ org, moduleInstanceId }, index) => {
      await sleep(Math.max(0, start + (index * 1_000) / rate - performance.now()))
      await org.deploy(moduleInstanceId)
    }),
  )
  while ((await succeeded()) < wanted) await sleep(1_000)
  await sleep(settle * 1_000)
}

/** Counts successful deployments in the database, so that the API's work is not measured. */
async function succeeded(): Promise<number> {
  const { rows } = (await world.db.execute(
    sql`select count(*)::int as count from deployments where status = 'SUCCESS'`,
  )) as unknown as { rows: { count: number }[] }
  return rows[0]?.count ?? 0
}
