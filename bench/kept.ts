import type { Deployment } from '@sluice/contract'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import pg from 'pg'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, type Row, round } from './report.ts'

/** Compares queries of a database with years of history to those of a young one. */
const { deployments, events, organizations, rounds, releases } = flags({
  deployments: 5_000_000,
  events: 50_000_000,
  /** Number of organizations; the measured one has a fifth of all rows. */
  organizations: 50,
  rounds: 60,
  releases: 12,
})
/** Rows of the young database, enough for a full page of failures. */
const few = { deployments: 10_000, events: 10_000 }
const pageSize = 50
const slowest = 1.25
const database = await useDatabase('postgres')
await using stack = new AsyncDisposableStack()

const from = performance.now()
const old = await installation({ deployments, events })
const seededMs = performance.now() - from
const young = await installation(few)

const questions = [
  ['the first page of 50', `limit=${pageSize}`],
  ['the first page of those that failed: a twentieth', `limit=${pageSize}&status=ERROR`],
  [
    'the first page of a module instance with a hundredth of them',
    `limit=${pageSize}&moduleInstanceId=:moduleInstanceId`,
  ],
] as const
const asked = [
  ...questions.map(([what, query]) => [what, `/deployments?${query}`] as const),
  ['one of long ago', '/deployments/dep_0000000000500'] as const,
  ['what runs where', '/services?projectId=:projectId'] as const,
]
const rows: Row[] = []
for (const [what, path] of asked)
  rows.push(
    await compared(what, rounds, ({ org, ids }) =>
      ask(
        org,
        path.replace(/:(\w+)/, (_, name) => ids[name] ?? ''),
      ),
    ),
  )
rows.push(await compared('a release', releases, release))

await publish({
  name: 'kept',
  what: [
    `${deployments} deployments and ${events} events of the cloud in ${organizations} organizations, of which one with a fifth of them is asked, beside ${few.deployments}`,
    `deployments. Copies of a real one, as old ones are that have left what is long in the archive; ${round(await old.gib())} GiB, made in ${round(seededMs / 1_000)} s. One client,`,
    `${rounds} times each, young and old in turn, medians: from the request to the whole answer. A release: ${releases} of a service, one after the other, from its`,
    `POST to its end, in a cloud that is sped up.`,
  ],
  database,
  rows,
})

type Installation = Awaited<ReturnType<typeof installation>>

/** Creates an installation with fifty real releases and this number of other rows. */
async function installation(kept: { deployments: number; events: number }) {
  const world = stack.use(await startWorld())
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const ids: Record<string, string> = { moduleInstanceId, projectId: org.pipelines.projectId }
  const first = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
  const made = { world, org, ids }
  for (let nth = 0; nth < pageSize; nth += 1) await release(made) // fills a first page with real releases
  const server = await superuser(world)
  stack.defer(() => server.end())
  await fill(server, { ...kept, org, id: first.id })
  const size = 'select pg_database_size(current_database()) / 1024.0 ^ 3 as gib'
  const gib = async () => Number((await server.query<{ gib: string }>(size)).rows[0]?.gib)
  return { ...made, gib }
}

/** Connects as superuser, so that rows are copied without triggers and foreign keys. */
async function superuser(world: World): Promise<pg.Client> {
  const url = new URL(process.env.TEST_SUPERUSER_URL ?? '')
  const own = (await world.db.execute('select current_database() as name')) as unknown as { rows: [{ name: string }] }
  url.pathname = `/${own.rows[0].name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  return client
}

type Filling = { org: TestOrganization; id: string; deployments: number; events: number }

/** Inserts this number of deployments and events. */
async function fill(server: pg.Client, { org, id, deployments, events }: Filling): Promise<void> {
  await server.query('set session_replication_role = replica')
  const owner = `case when n % 5 = 0 then '${org.id}' else 'org_' || n % ${organizations} end`
  const at = `now() - interval '400 days' + n * interval '399 days' / ${deployments}`
  await copy(server, 'deployments', id, deployments, {
    // Record ids begin with their time; these look older than all others.
    id: `'dep_00' || lpad(n::text, 11, '0')`,
    organization_id: owner,
    module_instance_id: `case when n % 500 = 0 then source.module_instance_id else 'mi_' || n % 1000 end`,
    status: `case when n % 100 = 0 then 'ERROR' else 'SUCCESS' end`,
    created_at: at,
    updated_at: at,
    started_at: at,
    completed_at: at,
    wake_at: 'null',
    data: 'without_long_data(source.data)',
  })
  await server.query(`insert into infrastructure_events (id, created_at, updated_at, organization_id, cloud_account_id,
      external_event_id, source, detail_type, resource_arn, occurred_at, event)
    select 'ive_00' || lpad(n::text, 11, '0'), at, at, ${owner}, '${org.cloudAccountId}', 'kept-' || n, 'aws.ecs',
      'ECS Task State Change', 'arn:aws:ecs:eu-west-1:111122223333:service/c/' || n % 1000, at,
      jsonb_build_object('version', '0', 'account', '111122223333', 'detail', jsonb_build_object('lastStatus', 'RUNNING'))
    from generate_series(1, ${events}) as n,
      lateral (select now() - interval '30 days' + n * interval '29 days' / ${events} as at) as moment`)
  await server.query(`delete from row_counts where table_name in ('deployments', 'infrastructure_events')`)
  for (const table of ['deployments', 'infrastructure_events'])
    await server.query(`insert into row_counts (id, organization_id, table_name, row_count)
      select gen_random_uuid(), organization_id, '${table}', count(*) from ${table} group by organization_id`)
  await server.query('set session_replication_role = origin')
  await server.query('vacuum analyze') // as autovacuum leaves tables
  await server.query('checkpoint')
}

/** Copies a row, numbered by n, with these columns replaced. */
async function copy(
  server: pg.Client,
  table: string,
  id: string,
  count: number,
  change: Record<string, string>,
): Promise<void> {
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

/** Returns the median times of some work in both databases, measured alternately. */
async function compared(what: string, times: number, work: (on: Installation) => Promise<void>): Promise<Row> {
  const ms = new Map<Installation, number[]>([young, old].map((one) => [one, []]))
  for (const one of ms.keys()) await work(one) // warms up
  for (let nth = 0; nth < times; nth += 1) {
    for (const [one, taken] of ms) {
      const from = performance.now()
      await work(one)
      taken.push(performance.now() - from)
    }
  }
  const [then = Number.NaN, now = Number.NaN] = [...ms.values()].map((taken) => percentile(taken, 0.5))
  const ratio = round(now / then)
  return {
    what,
    [`ms with ${few.deployments}`]: round(then),
    [`ms with ${deployments}`]: round(now),
    budget: budget(ratio, (found) => found <= slowest, `≤ ${slowest}× (${ratio}×)`),
  }
}

async function ask({ client }: TestOrganization, path: string): Promise<void> {
  const { status } = await client.ask('GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status}`)
}

async function release({ org, ids }: Pick<Installation, 'org' | 'ids'>): Promise<void> {
  const { id } = await org.deploy(ids.moduleInstanceId ?? '')
  for (;;) {
    const { status } = await org.client.done<Deployment>('GET', `/deployments/${id}`)
    if (status === 'SUCCESS') return
  }
}
