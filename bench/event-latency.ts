import { randomUUID } from 'node:crypto'
import { startWorld, type TestOrganization } from '@sluice/server/testing'
import { sql } from '../packages/server/src/platform/db/drizzle.ts'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { useDatabase } from './database.ts'
import { budget, flags, publish, spread } from './report.ts'

const { events, deployments: count, database: kind } = flags({ events: 500, deployments: 20 })

const database = await useDatabase(kind)
await using world = await startWorld()
const org = await world.organization()
const { db, cloud, url } = world

const paused = await pausedDeployments(org)
await cloud.removeDelivery()
// Each poll without a change doubles the interval, so after these no poll affects the measurement.
for (let round = 0; round < 12; round++) for (const one of paused) await wake(one)

const single: { row: number; accepted: number }[] = []
for (let sent = 0; sent < events; sent++) single.push(await wake(paused[sent % count] ?? fail()))
const burst = await Promise.all(paused.map(wake))

const alone = spread(single.map(({ row }) => row))
await publish({
  name: 'event-latency',
  what: [
    `An event of a service's release is posted to the ingest route; the deployment it wakes (one of ${count} paused ones)`,
    `reads the release in the simulated cloud and writes its row. Counted from before the POST to the row's \`updated_at\`,`,
    `which is the database's own clock on the same machine. ${events} events one at a time, then ${count} at once.`,
  ],
  database,
  rows: [
    { 'ms from the event': 'row updated', ...alone, budget: budget(alone.p50, (ms) => ms <= 50, 'p50 ≤ 50') },
    { 'ms from the event': '(event accepted)', ...spread(single.map(({ accepted }) => accepted)) },
    { 'ms from the event': `row updated, ${count} events at once`, ...spread(burst.map(({ row }) => row)) },
  ],
})

type Paused = { id: string; serviceArn: string }

async function pausedDeployments(org: TestOrganization): Promise<Paused[]> {
  const pause_stages = [{ stage: 'PRE_SCALE_UP', timeout_in_minutes: 10_000, timeout_action: 'ROLLBACK' }]
  const made: Paused[] = []
  while (made.length < count) {
    const { moduleInstanceId, serviceArn } = await org.service({
      type: 'blue_green',
      bake_time_in_minutes: 0,
      pause_stages,
    })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)
    made.push({ id, serviceArn })
  }
  return made
}

/** Sends an event and waits for the row's change. Returns the milliseconds to the row and to the response. */
async function wake({ id, serviceArn }: Paused): Promise<{ row: number; accepted: number }> {
  const before = await revisionOf(id)
  const sentAt = Date.now()
  const answer = await fetch(`${url}/cloud-accounts/${org.cloudAccountId}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sluice-event-secret': org.eventSecret },
    body: JSON.stringify(eventOf(serviceArn)),
  })
  if (answer.status !== 202) throw new Error(`the event was answered ${answer.status}: ${await answer.text()}`)
  const accepted = Date.now() - sentAt
  const after = await eventually(
    'the row to be written',
    () => revisionOf(id),
    ({ revision }) => revision > before.revision,
  )
  return { row: after.updatedAt - sentAt, accepted }
}

function eventOf(serviceArn: string) {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'ECS Hook State Change',
    source: 'aws.ecs',
    account: org.accountNumber,
    time: new Date().toISOString(),
    region: 'eu-west-1',
    resources: [serviceArn],
    detail: { eventType: 'INFO', eventName: 'HOOK_IN_PROGRESS', serviceArn },
  }
}

async function revisionOf(id: string): Promise<{ revision: number; updatedAt: number }> {
  const found = await db.execute(
    sql`select revision, extract(epoch from updated_at) * 1000 as "updatedAt" from deployments where id = ${id}`,
  )
  const [row] = (found as unknown as { rows: { revision: number; updatedAt: string }[] }).rows
  return { revision: row?.revision ?? 0, updatedAt: Number(row?.updatedAt) }
}

function fail(): never {
  throw new Error('there is no paused deployment')
}
