import type { Deployment } from '@sluice/contract'
import { startWorld, type TestOrganization } from '@sluice/server/testing'
import pg from 'pg'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, type Row, round } from './report.ts'

/** What a database that was kept for years answers, and how long that takes, beside the same when it was young. */
const { deployments, events, organizations, rounds, releases } = flags({
  deployments: 5_000_000,
  events: 50_000_000,
  /** The one that is asked for has a fifth of all. */
  organizations: 50,
  rounds: 60,
  releases: 12,
})
const young = 1_000
const pageSize = 50
const slowest = 1.25
const database = await useDatabase('postgres')
await using world = await startWorld()
const org = await world.organization()
const { moduleInstanceId } = await org.service()
const first = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
for (let nth = 0; nth < pageSize; nth += 1) await release() // a first page is of real ones then, each time
const server = await superuser()

await keep(young, young * 10)
const before = await measured()
const from = performance.now()
await keep(deployments, events)
const seededMs = performance.now() - from
const after = await measured()
const { rows: sizes } = await server.query<{ gib: number }>(
  'select pg_database_size(current_database()) / 1024.0 ^ 3 as gib',
)
await server.end()

await publish({
  name: 'kept',
  what: [
    `${deployments} deployments and ${events} events of the cloud in ${organizations} organizations, of which one with a fifth of them is asked, beside ${young}`,
    `deployments. Copies of a real one, without what is long in them; ${round(Number(sizes[0]?.gib))} GiB, made in ${round(seededMs / 1_000)} s. One client, ${rounds} times each, medians:`,
    `from the request to the whole answer. A release: ${releases} of a service, one after the other, from its POST to its end, in a cloud that is sped up.`,
  ],
  database,
  rows: [...after].map(([what, ms]): Row => {
    const then = before.get(what) ?? Number.NaN
    const times = round(ms / then)
    return {
      what,
      [`ms with ${young}`]: round(then),
      [`ms with ${deployments}`]: round(ms),
      budget: budget(times, (ratio) => ratio <= slowest, `≤ ${slowest}× (${times}×)`),
    }
  }),
})

/** A superuser of the world's own database: rows are copied without what their triggers and references cost. */
async function superuser(): Promise<pg.Client> {
  const url = new URL(process.env.TEST_SUPERUSER_URL ?? '')
  const own = (await world.db.execute('select current_database() as name')) as unknown as { rows: [{ name: string }] }
  url.pathname = `/${own.rows[0].name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  return client
}

/** Has so many deployments and events there, in place of those that were copied before. */
async function keep(deploymentCount: number, eventCount: number): Promise<void> {
  await server.query('set session_replication_role = replica')
  // Ids of records begin with the time, and none is so old.
  await server.query(`delete from deployments where id like 'dep\\_00%'`)
  await server.query(`delete from infrastructure_events where id like 'ive\\_00%'`)
  const owner = `case when n % 5 = 0 then '${org.id}' else 'org_' || n % ${organizations} end`
  const at = `now() - interval '400 days' + n * interval '399 days' / ${deploymentCount}`
  await copy('deployments', first.id, deploymentCount, {
    id: `'dep_00' || lpad(n::text, 11, '0')`,
    organization_id: owner,
    module_instance_id: `case when n % 500 = 0 then source.module_instance_id else 'mi_' || n % 1000 end`,
    status: `case when n % 100 = 0 then 'ERROR' else 'SUCCESS' end`,
    ...{ created_at: at, updated_at: at, started_at: at, completed_at: at, wake_at: 'null' },
    data: `source.data - '{events,serviceDeploymentState,elbListenerState,deployedTaskDefinition}'::text[]`,
  })
  await server.query(`insert into infrastructure_events (id, created_at, updated_at, organization_id, cloud_account_id,
      external_event_id, source, detail_type, resource_arn, occurred_at, event)
    select 'ive_00' || lpad(n::text, 11, '0'), at, at, ${owner}, '${org.cloudAccountId}', 'kept-' || n, 'aws.ecs',
      'ECS Task State Change', 'arn:aws:ecs:eu-west-1:111122223333:service/c/' || n % 1000, at,
      jsonb_build_object('version', '0', 'account', '111122223333', 'detail', jsonb_build_object('lastStatus', 'RUNNING'))
    from generate_series(1, ${eventCount}) as n,
      lateral (select now() - interval '30 days' + n * interval '29 days' / ${eventCount} as at) as moment`)
  await server.query(`delete from row_counts where table_name in ('deployments', 'infrastructure_events')`)
  for (const table of ['deployments', 'infrastructure_events'])
    await server.query(`insert into row_counts (id, organization_id, table_name, row_count)
      select gen_random_uuid(), organization_id, '${table}', count(*) from ${table} group by organization_id`)
  await server.query('set session_replication_role = origin')
  await server.query('vacuum analyze') // as autovacuum leaves tables that nobody has just filled
}

/** Copies of a row, numbered by n, with these columns instead of its own. */
async function copy(table: string, id: string, count: number, change: Record<string, string>): Promise<void> {
  const { rows } = await server.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
      and attgenerated = ''`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  const values = names.map((name) => change[name] ?? `source.${name}`)
  await server.query(
    `insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
      from ${table} source, generate_series(1, ${count}) as n where source.id = $1`,
    [id],
  )
}

/** How long each question takes now, by what it asks. Milliseconds. */
async function measured(): Promise<Map<string, number>> {
  const lists = [
    ['the first page of 50', `/deployments?limit=${pageSize}`],
    ['the first page of those that failed: a twentieth', `/deployments?limit=${pageSize}&status=ERROR`],
    [
      'the first page of a module instance with a hundredth of them',
      `/deployments?limit=${pageSize}&moduleInstanceId=${moduleInstanceId}`,
    ],
    ['one of long ago', '/deployments/dep_0000000000500'],
    ['what runs where', `/services?projectId=${org.pipelines.projectId}`],
  ] as const
  const ms = new Map<string, number>()
  for (const [what, path] of lists) ms.set(what, await median(rounds, () => ask(org, path)))
  ms.set('a release', await median(releases, release))
  return ms
}

async function ask({ client }: TestOrganization, path: string): Promise<void> {
  const { status } = await client.ask('GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status}`)
}

async function release(): Promise<void> {
  const { id } = await org.deploy(moduleInstanceId)
  for (;;) {
    const { status } = await org.client.done<Deployment>('GET', `/deployments/${id}`)
    if (status === 'SUCCESS') return
  }
}

async function median(times: number, work: () => Promise<void>): Promise<number> {
  await work() // was needed once
  const ms: number[] = []
  while (ms.length < times) {
    const from = performance.now()
    await work()
    ms.push(performance.now() - from)
  }
  return percentile(ms, 0.5)
}
