import Fastify from 'fastify'
import pg from 'pg'

/**
 * Reference server for the API: the same queries and JSON with only Fastify and pg, without authentication, validation
 * or work. Prints its address.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
const organizationId = process.env.ORGANIZATION_ID
const app = Fastify()

const columns = `id, created_at, updated_at, organization_id, module_instance_id, project_id, environment_id, description,
  status, deployment_type, trigger_source, started_at, completed_at, data, error, external_deployment_id, resource_arn,
  resource_name, pipeline_run_id, step_execution_id, redeploy_of_deployment_id, rollback_to_deployment_id, inputs, release,
  progress, revision, wake_at, wake_seq, deadline_at, waiting_for`

app.get<{ Params: { id: string } }>('/deployments/:id', async ({ params }) => {
  const text = `select ${columns} from deployments where organization_id = $1 and id = $2`
  const { rows } = await pool.query({ name: 'one', text, values: [organizationId, params.id] })
  return { data: toWire(rows[0]) }
})

app.get<{ Querystring: { limit: string } }>('/deployments', async ({ query }) => {
  const limit = Number(query.limit)
  const text = `select ${columns} from deployments where organization_id = $1 order by id desc limit $2`
  const [page, count] = await Promise.all([
    pool.query({ name: 'page', text, values: [organizationId, limit + 1] }),
    pool.query({
      name: 'count',
      text: 'select count(*) from deployments where organization_id = $1',
      values: [organizationId],
    }),
  ])
  const meta = { limit, nextCursor: page.rows[limit - 1]?.id, totalCount: Number(count.rows[0].count) }
  return { data: page.rows.slice(0, limit).map(toWire), meta }
})

const sample = (
  await pool.query(`select ${columns} from deployments where organization_id = $1 limit 1`, [organizationId])
).rows[0]
const names = columns.split(/,\s*/)
const insert = {
  name: 'insert',
  text: `insert into deployments (${columns}) values (${names.map((_, index) => `$${index + 1}`).join(', ')}) returning ${columns}`,
}

app.post<{ Body: { data: { moduleInstanceId: string; inputs: object } } }>('/deployments', async ({ body }, reply) => {
  const { moduleInstanceId, inputs } = body.data
  const row = pending(moduleInstanceId, inputs)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const inserted = await client.query({ ...insert, values: names.map((name) => row[name]) })
    const message = { name: 'message', text: 'insert into bare_messages values ($1, $2)' }
    await client.query({ ...message, values: [row.id, { moduleInstanceId }] })
    await client.query('commit')
    reply.code(201)
    return { data: toWire(inserted.rows[0]) }
  } finally {
    client.release()
  }
})

const keepEvent = {
  name: 'event',
  text: `insert into infrastructure_events (id, organization_id, cloud_account_id, external_event_id, source, detail_type,
      occurred_at, event)
    select $1, organization_id, id, $2, $3, $4, $5, $6 from cloud_accounts where organization_id = $7
    on conflict do nothing`,
}

app.post<{ Body: { id: string; source: string; 'detail-type': string; time: string } }>(
  '/events',
  async ({ body }, reply) => {
    const { id, source, 'detail-type': detailType, time } = body
    const values = [`evt_${crypto.randomUUID()}`, id, source, detailType, time, body, organizationId]
    await pool.query({ ...keepEvent, values })
    reply.code(202)
    return { data: { accepted: true } }
  },
)

/** Returns a row as large as one that Sluice inserts, before any progress. */
function pending(moduleInstanceId: string, inputs: object): Record<string, unknown> {
  const { serviceDeploymentState: _, elbListenerState: __, deployedTaskDefinition: ___, ...data } = sample.data
  const now = new Date()
  return {
    ...sample,
    id: `dep_${crypto.randomUUID()}`,
    module_instance_id: moduleInstanceId,
    inputs,
    created_at: now,
    updated_at: now,
    status: 'PENDING',
    data: { ...data, events: [] },
    started_at: null,
    completed_at: null,
    wake_at: now,
    deadline_at: now,
    waiting_for: 'its turn',
  }
}

function toWire(row: Record<string, unknown>) {
  return {
    id: row.id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    organizationId: row.organization_id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    moduleInstanceId: row.module_instance_id,
    description: row.description,
    status: row.status,
    deploymentType: row.deployment_type,
    triggerSource: row.trigger_source,
    startedAt: row.started_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
    data: row.data,
    error: row.error ?? undefined,
    externalDeploymentId: row.external_deployment_id ?? undefined,
    resourceArn: row.resource_arn ?? undefined,
    resourceName: row.resource_name ?? undefined,
  }
}

console.log(JSON.stringify({ listening: await app.listen({ port: 0, host: '127.0.0.1' }) }))
