import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { sql } from '../packages/server/src/platform/db/drizzle.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, residentMiB, round } from './report.ts'

const {
  paused,
  continues,
  settle,
  measure,
  told,
  database: kind,
} = flags({ paused: 5_000, continues: 100, settle: 60, measure: 0, told: 0 })

type Measured = { serverMiB: number; heapMiB: number; looksPerSecond: number; ofCore: number; ms: number[] }

/**
 * Returns the poll interval of paused deployments in seconds: by default, or if cloud events announced the pauses. An
 * organization polls at most 12 times a second in total.
 */
const pollS = (count: number) => Math.max(told ? 3_600 : 300, count / 12)

if (process.send) process.send(await measured())
else await compare()

/** Runs each measurement in its own process, so that none inherits another's memory. */
async function compare(): Promise<void> {
  const database = await useDatabase(kind)
  const none = await inProcess(0)
  const row = (what: string, { serverMiB, heapMiB, looksPerSecond, ofCore, ms }: Measured) => ({
    'paused deployments': what,
    'server and worker, MiB': round(serverMiB),
    'of it heap in use': round(heapMiB),
    'calls/s of the cloud': round(looksPerSecond),
    '% of a core': round(ofCore),
    'continue p50 ms': round(percentile(ms, 0.5)),
    'continue p99 ms': round(percentile(ms, 0.99)),
  })
  const beside = (what: string, many: Measured) => {
    const moreMiB = round(many.serverMiB - none.serverMiB)
    const slower = round(percentile(many.ms, 0.99) / percentile(none.ms, 0.99))
    const ofCore = round(many.ofCore - none.ofCore)
    return {
      ...row(what, many),
      budget: [
        budget(moreMiB, (more) => more <= 100, `memory ≤ +100 MB (${moreMiB} MiB)`),
        budget(slower, (times) => times <= 2, `p99 ≤ 2× (${slower}×)`),
        budget(ofCore, (more) => more <= 5, `looks ≤ 5 % of a core (${ofCore} %)`),
      ].join(', '),
    }
  }
  const toldOf = await inProcess(paused, { told: 1 })
  const untold = await inProcess(paused)
  await publish({
    name: 'paused',
    what: [
      `Memory and processor time of the process that is server and worker, in ${settle} s with that many paused deployments`,
      "(copies of a real one, their next looks spread over an hour, as where the cloud's events led to the pauses, or over",
      'five minutes, both longer where that would be more than 12 a second; the embedded database, where it is used, is in',
      'the same process), then',
      `${continues} others that are continued one after the other: POST to its answer.`,
    ],
    database,
    rows: [row('0', none), beside(`${paused}, told of by events`, toldOf), beside(`${paused}, found by looks`, untold)],
  })
}

async function inProcess(count: number, more: { told?: number } = {}): Promise<Measured> {
  const numbers = { measure: count, continues, settle, ...more }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = fork(import.meta.filename, args, { execArgv: ['--expose-gc'] })
  const ended = once(child, 'exit')
  const [message] = await Promise.race([once(child, 'message'), ended])
  if (typeof message !== 'object') throw new Error(`measuring ${count} ended with ${message}`)
  await ended
  return message as Measured
}

async function measured(): Promise<Measured> {
  // Default poll intervals of the service.
  const env = { SLUICE_POLL_MIN_MS: '1000', SLUICE_POLL_MAX_MS: '15000' }
  await using world = await startWorld({ env })
  const org = await world.organization()
  const made = await pausedDeployments(org, continues + 1)
  await world.cloud.setSpeed(1)
  const [original = '', ...others] = made
  await copy(world, original, measure)
  const looks = async () =>
    (await world.cloud.calls({ operation: 'DescribeServiceDeployments', limit: 1_000_000 })).length
  const before = await looks()
  const busyFrom = process.cpuUsage()
  await sleep(settle * 1_000)
  const { user, system } = process.cpuUsage(busyFrom)
  const ofCore = (user + system) / (settle * 10_000)
  const looksPerSecond = ((await looks()) - before) / settle
  globalThis.gc?.() // leaves only what the paused deployments hold
  const serverMiB = residentMiB(process.pid)
  const heapMiB = process.memoryUsage().heapUsed / 2 ** 20
  const ms: number[] = []
  for (const id of others) {
    const from = performance.now()
    await org.continue(id)
    ms.push(performance.now() - from)
  }
  return { serverMiB, heapMiB, looksPerSecond, ofCore, ms }
}

/** Creates paused deployments, ten at a time. */
async function pausedDeployments(org: TestOrganization, count: number): Promise<string[]> {
  const pause_stages = [{ stage: 'PRE_SCALE_UP', timeout_in_minutes: 20_000, timeout_action: 'ROLLBACK' }]
  const strategy = { type: 'blue_green', bake_time_in_minutes: 0, pause_stages }
  const ids: string[] = []
  while (ids.length < count) {
    const targets: string[] = []
    while (targets.length < Math.min(10, count - ids.length))
      targets.push((await org.service(strategy)).moduleInstanceId)
    const group = await Promise.all(targets.map((target) => org.deploy(target)))
    await Promise.all(group.map(({ id }) => org.untilPaused(id)))
    ids.push(...group.map(({ id }) => id))
  }
  return ids
}

/** Copies a paused deployment's rows. Each copy has its own module instance, and all observe the original's release. */
async function copy({ db }: World, id: string, count: number): Promise<void> {
  await db.execute(sql`insert into module_instances
    select (jsonb_populate_record(i, jsonb_build_object('id', i.id || '-' || n, 'given_id', i.given_id || '-' || n))).*
    from deployments d join module_instances i on i.id = d.module_instance_id, generate_series(1, ${count}::int) n
    where d.id = ${id}`)
  const quiet = sql`d.progress || '{"quiet": 20}'`
  const progress = told ? sql`jsonb_set(${quiet}, '{hooks,0,isTold}', 'true')` : quiet
  await db.execute(sql`insert into deployments
    select (jsonb_populate_record(d, jsonb_build_object('id', d.id || '-' || n,
      'module_instance_id', d.module_instance_id || '-' || n, 'progress', ${progress},
      'wake_at', now() + n * ${pollS(count)}::float8 * interval '1 second' / ${count}::int))).*
    from deployments d, generate_series(1, ${count}::int) n where d.id = ${id}`)
}
