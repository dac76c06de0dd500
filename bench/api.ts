import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { object } from '@restatedev/restate-sdk'
import { openEmbeddedEngine } from '@sluice/server/platform/engine/engine'
import { createLog } from '@sluice/server/platform/log/log'
import { startWorld } from '@sluice/server/testing'
import autocannon from 'autocannon'
import { sql } from 'drizzle-orm'
import { createTestDatabase } from '../packages/server/src/testing/database.ts'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { freePort, useDatabase } from './database.ts'
import { budget, flags, percentile, processorMs, publish, round } from './report.ts'

const { rounds, seconds, connections } = flags({ rounds: 3, seconds: 5, connections: 16 })
const database = await useDatabase('postgres')
await using parts = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-api-'))
parts.defer(() => rm(directory, { recursive: true }))
const { url: databaseUrl = '', drop } = await createTestDatabase()
parts.defer(drop)
const { token, organizationId, deploymentIds, moduleInstanceIds } = await seed()
const engine = await startIdleEngine()
const servers = { sluice: await startSluice(), bare: await startBare() }

type Which = keyof typeof servers
type Rate = { perSecond: number; processorMs: number }
type Load = Pick<autocannon.Request, 'method' | 'setupRequest'>

const anyOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]
const loads: { what: string; least: number; load: Load }[] = [
  {
    what: 'GET one deployment',
    least: 0.7,
    load: { method: 'GET', setupRequest: (request) => ({ ...request, path: `/deployments/${anyOf(deploymentIds)}` }) },
  },
  {
    what: 'GET a page of 50',
    least: 0.6,
    load: { method: 'GET', setupRequest: (request) => ({ ...request, path: '/deployments?limit=50' }) },
  },
  {
    what: 'POST /deployments',
    least: 0.5,
    load: { method: 'POST', setupRequest: (request) => ({ ...request, path: '/deployments', body: newDeployment() }) },
  },
]

const rows = []
for (const { what, least, load } of loads) {
  const rates: Record<Which, Rate[]> = { sluice: [], bare: [] }
  for (const which of ['sluice', 'bare'] as const) await rateOf(which, load) // both warm
  for (let round = 0; round < rounds; round++) {
    for (const which of ['sluice', 'bare'] as const) rates[which].push(await rateOf(which, load))
  }
  const median = (which: Which, of: keyof Rate) =>
    percentile(
      rates[which].map((rate) => rate[of]),
      0.5,
    )
  const ratio = round(median('sluice', 'perSecond') / median('bare', 'perSecond'))
  rows.push({
    'requests/s': what,
    Sluice: round(median('sluice', 'perSecond')),
    bare: round(median('bare', 'perSecond')),
    ratio,
    budget: budget(ratio, (value) => value >= least, `≥ ${least}`),
    'processor ms per request, Sluice': round(median('sluice', 'processorMs')),
    'the same, bare': round(median('bare', 'processorMs')),
  })
}
await publish({
  name: 'api',
  what: [
    `\`sluice serve --roles api\` and a bare Fastify with pg, one process each, on the same tables of ${deploymentIds.length}`,
    `finished deployments; ${connections} connections from a third process, ${rounds} times ${seconds} s in turn, medians.`,
    'POST: both answer when it is committed; Sluice also waits until the engine has its message, to a worker that does',
    'nothing with it. Every POST is to another module instance.',
  ],
  database,
  rows,
})

/** A thousand copies of a real, finished canary release, and as many module instances as there will be POSTs. */
async function seed() {
  await using world = await startWorld({ env: { DATABASE_URL: databaseUrl } })
  const { db } = world
  const org = await world.organization()
  const canary = { canary_percent: 10, canary_bake_time_in_minutes: 1 }
  const { moduleInstanceId } = await org.service({ type: 'canary', bake_time_in_minutes: 1, canary })
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  await db.execute(sql`create table bare_messages (id text primary key, payload jsonb not null)`)
  await copyRows('deployments', id, 999, {})
  await copyRows('module_instances', moduleInstanceId, 30_000, { given_id: 'copy' })
  await db.execute(sql`analyze`)
  const idsOf = async (table: 'deployments' | 'module_instances') => {
    const found = await db.execute(sql`select id from ${sql.identifier(table)} where organization_id = ${org.id}`)
    return (found as unknown as { rows: { id: string }[] }).rows.map((row) => row.id)
  }
  return {
    token: org.client.token,
    organizationId: org.id,
    deploymentIds: await idsOf('deployments'),
    moduleInstanceIds: await idsOf('module_instances'),
  }

  async function copyRows(table: string, from: string, count: number, unique: Record<string, string>): Promise<void> {
    const change = sql`jsonb_build_object('id', id || '-' || n) || coalesce((
      select jsonb_object_agg(key, value || n) from jsonb_each_text(${JSON.stringify(unique)}::jsonb)), '{}')`
    await db.execute(sql`insert into ${sql.identifier(table)}
      select (jsonb_populate_record(source, ${change})).*
      from ${sql.identifier(table)} source, generate_series(1, ${count}::int) n where id = ${from}`)
  }
}

/** An engine that takes messages for durable objects which do nothing: what comes after the 201 is not measured here. */
async function startIdleEngine() {
  const ports = { ingress: await freePort(), admin: await freePort(), fabric: await freePort() }
  const log = createLog({ level: 'warn', format: 'json' })
  const worker = { host: '127.0.0.1', port: 0 }
  const opened = await openEmbeddedEngine({ directory: join(directory, 'engine'), ports, worker, log })
  parts.defer(() => opened.stop())
  await opened.serve([object({ name: 'target', handlers: { admit: async () => {} } })])
  return ports
}

async function startSluice() {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    SLUICE_ROLES: 'api',
    SLUICE_DATA_DIR: join(directory, 'data'),
    SLUICE_LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    ENGINE_INGRESS_URL: `http://127.0.0.1:${engine.ingress}`,
    ENGINE_ADMIN_URL: `http://127.0.0.1:${engine.admin}`,
  }
  const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))
  const child = endLater(spawn(process.execPath, [main, 'serve'], { env, stdio: 'inherit' }))
  const url = `http://127.0.0.1:${port}`
  await eventually(
    'Sluice to answer',
    () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (ok) => ok,
  )
  return { url, pid: child.pid ?? 0 }
}

async function startBare() {
  const file = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
  const env = { ...process.env, DATABASE_URL: databaseUrl, ORGANIZATION_ID: organizationId }
  const child = endLater(spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] }))
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: String(JSON.parse(line).listening), pid: child.pid ?? 0 }
  }
  throw new Error('the bare server ended before it listened')
}

function endLater<Child extends ChildProcess>(child: Child): Child {
  const ended = once(child, 'exit')
  parts.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return child
}

function newDeployment(): string {
  const moduleInstanceId = moduleInstanceIds.pop()
  if (moduleInstanceId === undefined) throw new Error('there are not enough module instances for so many POSTs')
  return JSON.stringify({ data: { moduleInstanceId, description: 'bench', inputs: { image_ref: 'shop/app:3' } } })
}

/** Requests per second that were answered as they should, and what one of them takes of the server's processor. */
async function rateOf(which: Which, load: Load): Promise<Rate> {
  const { url, pid } = servers[which]
  const before = processorMs(pid)
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    requests: [load],
  })
  if (result.non2xx + result.errors > 0) throw new Error(`${which}: ${result.non2xx} refusals, ${result.errors} errors`)
  return { perSecond: result['2xx'] / result.duration, processorMs: (processorMs(pid) - before) / result['2xx'] }
}
