import type {
  ApprovalReportRow,
  ChangeReport,
  DeliveryRecordRow,
  DeliveryReportRow,
  PauseReportRow,
  RunRecordRow,
  RunReportRow,
  StepReportRow,
} from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { teams } from '../../identity/teams/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { roleGrants } from '../../projects/role-grants/tables.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { finishedDeployment } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Deployment = typeof deployments.$inferInsert

/** Creates an organization with instances in one environment, and functions that add records. */
async function shop(instances = 1) {
  const { organizationId, key } = await seedOrganization(world.db)
  const ids = await seedInstances(world.db, organizationId, instances)
  const [instance] = await world.db
    .select()
    .from(moduleInstances)
    .where(eq(moduleInstances.id, ids[0] ?? ''))
  const { projectId = '', environmentId = '' } = instance ?? {}
  const [pipelineId, pipelineVersionId] = [newId('pl'), newId('plv')]
  const named = { organizationId, projectId, givenId: pipelineId, name: 'Release' }
  await world.db.insert(pipelines).values({ id: pipelineId, ...named, latestVersion: 1 })
  const version = { organizationId, pipelineId, version: 1, config: { steps: [] } }
  await world.db.insert(pipelineVersions).values({ id: pipelineVersionId, ...version })
  const client = new Client(world.url, key)

  async function deployed(
    moduleInstanceId: string,
    startedAt: string,
    completedAt: string,
    more: Partial<Deployment> = {},
  ) {
    const id = newId('dep')
    const place = { organizationId, moduleInstanceId, projectId, environmentId }
    const times = { startedAt: new Date(startedAt), completedAt: new Date(completedAt) }
    await world.db.insert(deployments).values({ id, ...finishedDeployment, ...place, ...times, ...more })
    return id
  }
  async function ran(more: Partial<typeof pipelineRuns.$inferInsert> = {}) {
    const id = newId('run')
    const what = { organizationId, pipelineId, pipelineVersionId, inputs: {}, triggeredBy: 'Ada' }
    const run = { id, ...what, status: 'SUCCESS', triggerSource: 'PUSH', ...more } as const
    await world.db.insert(pipelineRuns).values(run)
    return id
  }
  return { organizationId, projectId, environmentId, pipelineId, ids, key, client, deployed, ran }
}

const march = 'startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z'
/** Returns the records behind a figure of a report. */
const recordsOf = <Row>(client: Client, path: string) =>
  client.done<{ total: number; rows: Row[] }>('GET', `/reports/${path}`)
const rowsOf = async <Row>(client: Client, path: string) => (await client.done<{ rows: Row[] }>('GET', path)).rows

test('deliveries are counted with failures, restorations, and the lead time from the commit', async () => {
  const { ids, client, deployed, ran, environmentId } = await shop(2)
  const [web = '', api = ''] = ids
  const commit = (committed_at: string | null) => ran({ trigger: { kind: 'push', payload: { committed_at } } })
  // The 2nd: a success two hours after its commit; then a failure, and a repair an hour later.
  const pipelineRunId = await commit('2026-03-02T08:00:00.000Z')
  await deployed(web, '2026-03-02T09:50:00Z', '2026-03-02T10:00:00Z', { pipelineRunId })
  await deployed(web, '2026-03-02T11:00:00Z', '2026-03-02T11:10:00Z', { status: 'ERROR' })
  await deployed(web, '2026-03-02T12:00:00Z', '2026-03-02T12:10:00Z', { pipelineRunId: await commit(null) })
  // The 3rd: an automatic rollback within five minutes, a manual rollback, and a cancelled deployment.
  const rolledBack = {
    stepCode: 'ROLLBACK_STARTED',
    startedAt: '2026-03-03T10:05:00.000Z',
    currentStep: 3,
    totalSteps: 5,
  } as const
  const data = { ...finishedDeployment.data, events: [rolledBack] }
  await deployed(api, '2026-03-03T10:00:00Z', '2026-03-03T10:10:00Z', { status: 'ROLLED_BACK', data })
  const bad = await deployed(api, '2026-03-03T11:00:00Z', '2026-03-03T11:10:00Z')
  await deployed(api, '2026-03-03T11:20:00Z', '2026-03-03T11:40:00Z', { rollbackToDeploymentId: bad })
  await deployed(api, '2026-03-03T12:00:00Z', '2026-03-03T12:10:00Z', { status: 'CANCELLED' })

  const rows = await rowsOf<DeliveryReportRow>(client, `/reports/delivery?${march}`)
  expect(rows).toHaveLength(31)
  expect(rows[0]).toEqual({
    startTime: '2026-03-01T00:00:00.000Z',
    deployments: 0,
    changes: 0,
    failures: 0,
    restores: 0,
    commitsKnown: 0,
  })
  expect(rows[1]).toEqual({
    startTime: '2026-03-02T00:00:00.000Z',
    deployments: 2,
    changes: 3,
    failures: 1,
    changeFailureRate: 0.3333,
    restores: 1,
    medianRestoreSeconds: 3_600,
    commitsKnown: 1,
    medianLeadSeconds: 7_200,
    p90LeadSeconds: 7_200,
    medianDurationSeconds: 600,
  })
  expect(rows[2]).toMatchObject({ deployments: 1, changes: 2, failures: 2, changeFailureRate: 1, restores: 2 })
  expect(rows[2]?.medianRestoreSeconds).toBe((300 + 1_800) / 2)

  const counts = { DEPLOYMENTS: 3, CHANGES: 5, FAILURES: 3, RESTORES: 3, COMMITS_KNOWN: 1 }
  for (const [figure, count] of Object.entries(counts)) {
    const path = `delivery/records?${march}&figure=${figure}`
    const { total, rows } = await recordsOf<DeliveryRecordRow>(client, path)
    expect([figure, total, rows.length]).toEqual([figure, count, count])
  }
  const failed = await recordsOf<DeliveryRecordRow>(client, `delivery/records?${march}&figure=RESTORES&limit=2`)
  expect(failed).toMatchObject({
    total: 3,
    rows: [{ deploymentId: bad, status: 'SUCCESS', seconds: 1_800 }, { seconds: 300 }],
  })
  const [latest] = failed.rows
  expect(latest).toMatchObject({ moduleInstanceId: api, moduleInstanceName: 'A', at: '2026-03-03T11:10:00.000Z' })

  const byInstance = await rowsOf<DeliveryReportRow>(
    client,
    `/reports/delivery?${march}&interval=MONTH&groupBy=MODULE_INSTANCE`,
  )
  expect(byInstance.map(({ groupId, groupName, changes }) => ({ groupId, groupName, changes }))).toEqual(
    [web, api].toSorted().map((groupId) => ({ groupId, groupName: 'A', changes: groupId === web ? 3 : 2 })),
  )
  const [week] = await rowsOf<DeliveryReportRow>(
    client,
    `/reports/delivery?${march}&interval=WEEK&groupBy=ENVIRONMENT&moduleInstanceId=${web}`,
  )
  expect(await rowsOf(client, `/reports/delivery?${march}&interval=TOTAL`)).toMatchObject([
    { startTime: '2026-03-01T00:00:00.000Z', deployments: 3, changes: 5, failures: 3, changeFailureRate: 0.6 },
  ])
  expect(week).toMatchObject({ startTime: '2026-03-02T00:00:00.000Z', groupId: environmentId, deployments: 2 })
})

test('runs are counted with their results and durations; approvals with their waiting times', async () => {
  const { organizationId, client, ran, pipelineId } = await shop()
  const at = (time: string) => new Date(`2026-03-05T${time}Z`)
  const run = (status: 'SUCCESS' | 'ERROR' | 'CANCELLED', end: string) =>
    ran({ status, createdAt: at('10:00:00'), startedAt: at('10:01:00'), completedAt: at(end) })
  const first = await run('SUCCESS', '10:11:00')
  await run('ERROR', '10:21:00')
  await run('CANCELLED', '10:31:00')
  const asked = (requestedAt: string) => ({
    requestedAt,
    expiresAt: '2026-03-12T10:00:00.000Z',
    onTimeout: 'reject' as const,
  })
  const step = async (stepId: string, more: Partial<typeof pipelineStepExecutions.$inferInsert>) => {
    const fixed = { organizationId, pipelineRunId: first, stepId, stepName: stepId, stepType: 'approval' }
    const queued = { queueReason: 'READY', queueMetadata: {}, engineWorkflowId: stepId } as const
    await world.db.insert(pipelineStepExecutions).values({
      id: newId('step'),
      ...fixed,
      ...queued,
      status: 'SUCCESS',
      approval: asked('2026-03-05T10:00:00.000Z'),
      ...more,
    })
  }
  const decided = (approved: boolean, time: string) => ({
    decision: { approved, by: 'Ada', at: at(time).toISOString() },
  })
  await step('quick', decided(true, '10:00:10'))
  await step('slow', decided(true, '10:00:50'))
  await step('no', { ...decided(false, '10:00:30'), status: 'ERROR' })
  await step('late', { status: 'ERROR' })
  const built = (id: string, status: 'SUCCESS' | 'ERROR' | 'SKIPPED', end: string, more = {}) =>
    step(id, {
      status,
      approval: null,
      stepType: 'job',
      startedAt: at('10:01:00'),
      completedAt: at(end),
      ...more,
    })
  await built('build', 'SUCCESS', '10:05:00')
  await built('test', 'ERROR', '10:02:00')
  await built('publish', 'SKIPPED', '10:02:00')
  // A step that a retry took over was executed in another run.
  await built('lint', 'ERROR', '09:00:00', { statusDetail: { takenOver: { pipelineRunId: first } } })

  const [runs] = await rowsOf<RunReportRow>(client, `/reports/pipeline-runs?${march}&interval=MONTH&groupBy=PIPELINE`)
  expect(runs).toEqual({
    startTime: '2026-03-01T00:00:00.000Z',
    groupId: pipelineId,
    groupName: 'Release',
    runs: 3,
    succeeded: 1,
    failed: 1,
    cancelled: 1,
    failureRate: 0.5,
    medianDurationSeconds: 1_200,
    p90DurationSeconds: 1_680,
    medianQueuedSeconds: 60,
  })
  const approvals = await rowsOf<ApprovalReportRow>(client, `/reports/approvals?${march}&interval=MONTH`)
  expect(approvals).toEqual([
    {
      startTime: '2026-03-01T00:00:00.000Z',
      requested: 4,
      approved: 2,
      rejected: 1,
      expired: 1,
      waiting: 0,
      medianWaitSeconds: 30,
      longestWaitSeconds: 50,
    },
  ])
  expect(await rowsOf(client, `/reports/approvals?${march}&groupBy=PROJECT&pipelineId=pl_other`)).toEqual([])

  const ofSteps = (order: string) => rowsOf<StepReportRow>(client, `/reports/steps?${march}&order=${order}`)
  const test = { stepId: 'test', executions: 1, failed: 1, failureRate: 1, medianDurationSeconds: 60 }
  const build = { stepId: 'build', executions: 1, failed: 0, failureRate: 0, medianDurationSeconds: 240 }
  expect(await ofSteps('MOST_FAILED')).toMatchObject([test, build])
  expect(await ofSteps('SLOWEST')).toMatchObject([build, { ...test, pipelineId, pipelineName: 'Release' }])

  const counts = {
    RUNS: 3,
    SUCCEEDED: 1,
    FAILED: 1,
    CANCELLED: 1,
    STEPS: 2,
    STEPS_FAILED: 1,
    APPROVALS_REQUESTED: 4,
    APPROVALS_APPROVED: 2,
    APPROVALS_REJECTED: 1,
    APPROVALS_EXPIRED: 1,
    APPROVALS_WAITING: 0,
  }
  for (const [figure, count] of Object.entries(counts)) {
    const { total, rows } = await recordsOf<RunRecordRow>(client, `pipeline-runs/records?${march}&figure=${figure}`)
    expect([figure, total, rows.length]).toEqual([figure, count, count])
  }
  const { rows: failing } = await recordsOf<RunRecordRow>(
    client,
    `pipeline-runs/records?${march}&figure=STEPS&stepId=test`,
  )
  expect(failing).toMatchObject([
    { pipelineRunId: first, runNumber: 1, stepName: 'test', status: 'ERROR', seconds: 60 },
  ])
})

test('pauses are counted with their results and durations', async () => {
  const { ids, client, deployed } = await shop()
  const [web = ''] = ids
  const event = (stepCode: 'PAUSED' | 'CONTINUED' | 'ROLLBACK_STARTED', time: string, hookId?: string) => ({
    stepCode,
    startedAt: `2026-03-06T${time}.000Z`,
    currentStep: 3,
    totalSteps: 5,
    ...(hookId !== undefined && { hookId }),
  })
  const paused = (events: ReturnType<typeof event>[], more: Partial<Deployment> = {}) =>
    deployed(web, '2026-03-06T10:00:00Z', '2026-03-06T12:00:00Z', {
      createdAt: new Date('2026-03-06T09:00:00Z'),
      data: { ...finishedDeployment.data, events },
      ...more,
    })
  const continued = await paused([
    event('PAUSED', '10:00:00', 'one'),
    event('CONTINUED', '10:01:00', 'one'),
    event('PAUSED', '10:02:00', 'two'),
    event('CONTINUED', '10:12:00', 'two'),
  ])
  const back = [event('PAUSED', '10:00:00', 'three'), event('ROLLBACK_STARTED', '10:05:00')]
  await paused(back, { status: 'ROLLED_BACK' })
  await paused([event('PAUSED', '10:00:00', 'four')], { status: 'CANCELLED' })
  const waiting = await paused([event('PAUSED', '10:30:00', 'five')], {
    status: 'IN_PROGRESS',
    completedAt: null,
    wakeAt: new Date(),
    deadlineAt: new Date(),
    waitingFor: 'Ada',
  })

  expect(await rowsOf<PauseReportRow>(client, `/reports/pauses?${march}&interval=TOTAL`)).toEqual([
    {
      startTime: '2026-03-01T00:00:00.000Z',
      pauses: 5,
      continued: 2,
      ended: 2,
      waiting: 1,
      medianWaitSeconds: 450,
      longestWaitSeconds: 7_200,
    },
  ])
  const all = await recordsOf<DeliveryRecordRow>(client, `delivery/records?${march}&figure=PAUSES`)
  expect(all.total).toBe(5)
  expect(all.rows.slice(0, 2)).toMatchObject([{ deploymentId: waiting }, { deploymentId: continued, seconds: 600 }])
  const { rows } = await recordsOf<DeliveryRecordRow>(client, `delivery/records?${march}&figure=PAUSES_WAITING`)
  expect(rows.map(({ deploymentId }) => deploymentId)).toEqual([waiting])
})

test("a team's deliveries are those in environments in which it can release", async () => {
  const { organizationId, projectId, environmentId, ids, client, deployed } = await shop()
  await deployed(ids[0] ?? '', '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z')
  const team = async (name: string, role?: 'VIEWER' | 'DEPLOYER', place?: { environmentId: string }) => {
    const id = newId('team')
    await world.db.insert(teams).values({ id, organizationId, name })
    const grant = { id: newId('grt'), organizationId, teamId: id, projectId, ...place }
    if (role) await world.db.insert(roleGrants).values({ ...grant, role })
    return id
  }
  const web = await team('Web', 'DEPLOYER')
  const readers = await team('Readers', 'VIEWER')
  const operators = await team('Operators', 'DEPLOYER', { environmentId })
  const byTeam = async () => {
    const rows = await rowsOf<DeliveryReportRow>(client, `/reports/delivery?${march}&interval=MONTH&groupBy=TEAM`)
    return rows.map(({ groupName, deployments }) => [groupName, deployments]).toSorted()
  }
  expect(await byTeam()).toEqual([
    ['Operators', 1],
    ['Web', 1],
  ])
  for (const [id, count] of [
    [web, 1],
    [readers, 0],
  ] as const) {
    const [row] = await rowsOf<DeliveryReportRow>(client, `/reports/delivery?${march}&interval=MONTH&teamId=${id}`)
    expect(row?.deployments).toBe(count)
  }
  await client.done('PATCH', `/environments/${environmentId}`, { data: { restricted: true } })
  expect(await byTeam()).toEqual([['Operators', 1]])
  const { total } = await recordsOf(client, `delivery/records?${march}&figure=DEPLOYMENTS&teamId=${operators}`)
  expect(total).toBe(1)
})

test('changes between two times are the differences between the releases running at each', async () => {
  const { ids, client, deployed } = await shop(3)
  const [web = '', api = ''] = ids
  const before = await deployed(web, '2026-02-01T10:00:00Z', '2026-02-01T10:10:00Z', { description: 'one' })
  await deployed(web, '2026-03-01T10:00:00Z', '2026-03-01T10:10:00Z', { status: 'ERROR' })
  const after = await deployed(web, '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z', { description: 'two' })
  await deployed(web, '2026-05-02T10:00:00Z', '2026-05-02T10:10:00Z')
  await deployed(api, '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z', { status: 'ERROR' })
  const { rows } = await client.done<ChangeReport>('GET', `/reports/changes?${march}`)
  const [ofWeb, ofApi] = [web, api].map((id) => rows.find(({ moduleInstanceId }) => moduleInstanceId === id))
  expect(rows).toHaveLength(2)
  expect(ofWeb).toMatchObject({ deployments: 2, failures: 1, isChanged: true })
  expect(ofWeb).toMatchObject({ fromDeploymentId: before, fromDescription: 'one' })
  expect(ofWeb).toMatchObject({ toDeploymentId: after, toDescription: 'two' })
  expect(ofApi).toMatchObject({ deployments: 1, failures: 1, isChanged: false })
  expect(ofApi).not.toHaveProperty('toDeploymentId')
})

test('a report is available as CSV, in which no name is interpreted as a formula', async () => {
  const { ids, key, deployed } = await shop()
  await deployed(ids[0] ?? '', '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z', { description: '=1+1, "two"' })
  await world.db
    .update(moduleInstances)
    .set({ name: '@SUM(A1)' })
    .where(eq(moduleInstances.id, ids[0] ?? ''))
  const asCsv = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('.csv')
    return (await response.text()).split('\r\n')
  }
  const [head, row, end] = await asCsv(`/reports/changes?${march}&format=csv`)
  expect(head).toMatch(/^moduleInstanceId,moduleInstanceName,.*toDescription,isChanged$/)
  expect(row).toContain(",'@SUM(A1),")
  expect(row).toContain(`"'=1+1, ""two""",true`)
  expect(end).toBe('')
  const [, first] = await asCsv(`/reports/delivery?${march}`, { accept: 'text/csv' })
  expect(first).toBe('2026-03-01T00:00:00.000Z,,,0,0,0,,0,,0,,,')
})

test.each([
  ['startTime=2026-03-02T00:00:00Z&endTime=2026-03-01T00:00:00Z', 'after startTime'],
  ['startTime=2024-01-01T00:00:00Z&endTime=2026-03-01T00:00:00Z', 'at most 366 days'],
  ['startTime=2026-13-02T00:00:00Z', 'a moment that there is'],
])('an invalid period is rejected: %s', async (query, why) => {
  const { client } = await shop()
  const { status, body } = await client.ask('GET', `/reports/delivery?${query}`)
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(why)])
})

test('hidden records and those of other organizations are not counted', async () => {
  const { organizationId, projectId, ids, client, deployed } = await shop()
  await deployed(ids[0] ?? '', '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z')
  await client.done('PATCH', `/projects/${projectId}`, { data: { visibility: 'MEMBERS' } })
  const outsider = new Client(world.url, await addMember(world.db, organizationId, 'DEVELOPER'))
  const stranger = (await shop()).client
  for (const [who, count] of [
    [client, 1],
    [outsider, 0],
    [stranger, 0],
  ] as const) {
    const [row] = await rowsOf<DeliveryReportRow>(who, `/reports/delivery?${march}&interval=MONTH`)
    expect(row?.deployments).toBe(count)
    expect(await rowsOf(who, `/reports/changes?${march}`)).toHaveLength(count)
    const records = await recordsOf(who, `delivery/records?${march}&figure=DEPLOYMENTS`)
    expect(records).toMatchObject({ total: count, rows: { length: count } })
  }
})
