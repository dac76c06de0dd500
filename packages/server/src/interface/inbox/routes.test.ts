import type { Inbox, InboxItem } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addServiceAccount } from '../../testing/members.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const inboxOf = (client: Client) => client.done<Inbox>('GET', '/inbox')
const see = (client: Client, seenUntil: string) => client.done<Inbox>('PATCH', '/inbox', { data: { seenUntil } })

const inShort = (items: InboxItem[]) => items.map(({ type, id }) => [type, id])
const waitingFor = async (client: Client) => inShort((await inboxOf(client)).waiting)
const untilWaiting = (client: Client, ...items: [InboxItem['type'], string][]) =>
  eventually(
    `the inbox to have ${JSON.stringify(items)}`,
    () => waitingFor(client),
    (found) => JSON.stringify(found) === JSON.stringify(items),
  )

const people = async (org: TestOrganization) => ({
  ann: await org.member('DEVELOPER'),
  bob: await org.member('DEVELOPER'),
  viewer: await org.member('VIEWER'),
})

/** Creates a run that a user rejected. */
async function failedRun(org: TestOrganization, by: Client): Promise<string> {
  const run = await org.pipelines.run([{ id: 'ask', type: 'approval' }])
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  await untilWaiting(by, ['STEP_APPROVAL', id])
  await by.done('POST', `/pipeline-step-executions/${id}/reject`)
  await org.pipelines.untilOver(run.id)
  return run.id
}

test('a release that waits at an approval or a pause is in the inbox of users who can decide and have not', async () => {
  const org = await world.organization()
  const { ann, bob, viewer } = await people(org)
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  await org.client.done('POST', '/approval-rules', { data: { name: 'Production', requiredApprovals: 2 } })
  const { id } = await org.deploy(moduleInstanceId)
  await untilWaiting(ann, ['DEPLOYMENT_APPROVAL', id])
  await ann.done('POST', `/deployments/${id}/approve`, { data: {} })
  expect(await waitingFor(ann)).toEqual([])
  expect(await waitingFor(bob)).toEqual([['DEPLOYMENT_APPROVAL', id]])
  await bob.done('POST', `/deployments/${id}/approve`, { data: {} })
  const hookId = await org.untilPaused(id)
  await untilWaiting(ann, ['PAUSE', id])
  expect(await waitingFor(viewer)).toEqual([])
  await ann.done('POST', `/deployments/${id}/continue`, { data: { hookId } })
  expect(await waitingFor(bob)).toEqual([])
})

test('a hold is in the inbox of users who can lift it, with the held scope', async () => {
  const org = await world.organization()
  const { ann, viewer } = await people(org)
  const { moduleInstanceId } = await org.service()
  const data = { moduleInstanceId, reason: 'Prices are wrong.' }
  const { id } = await org.client.done<{ id: string }>('POST', '/holds', { data })
  expect((await inboxOf(ann)).waiting).toMatchObject([
    { type: 'HOLD', id, moduleInstanceId, message: expect.stringContaining('Prices are wrong.') },
  ])
  expect(await waitingFor(viewer)).toEqual([])
  await ann.done('POST', `/holds/${id}/lift`, { data: { reason: 'Prices are right.' } })
  expect(await waitingFor(ann)).toEqual([])
})

test('a failure stays until a member has seen it, which only moves forward and affects no other member', async () => {
  const org = await world.organization()
  const { ann, viewer } = await people(org)
  const first = await failedRun(org, ann)
  const looked = await inboxOf(ann)
  expect(inShort(looked.failed)).toEqual([['FAILED_RUN', first]])
  const second = await failedRun(org, ann)
  expect(inShort((await see(ann, looked.readAt)).failed)).toEqual([['FAILED_RUN', second]])
  const later = '2100-01-01T00:00:00.000Z'
  const { failed, seenUntil } = await see(ann, later)
  expect(failed).toEqual([])
  expect(seenUntil < later).toBe(true)
  expect((await see(ann, looked.readAt)).seenUntil).toBe(seenUntil)
  expect(inShort((await inboxOf(viewer)).failed)).toEqual([
    ['FAILED_RUN', second],
    ['FAILED_RUN', first],
  ])
})

test('hidden records are not in the inbox, and a service account has no read position', async () => {
  const org = await world.organization()
  const { ann, viewer } = await people(org)
  await failedRun(org, ann)
  const [project] = await org.client.done<{ id: string }[]>('GET', '/projects')
  await org.client.done('PATCH', `/projects/${project?.id}`, { data: { visibility: 'MEMBERS' } })
  expect((await inboxOf(viewer)).failed).toEqual([])
  const account = new Client(world.url, await addServiceAccount(world.db, org.id, 'DEVELOPER'))
  expect(await account.ask('PATCH', '/inbox', { data: { seenUntil: '2026-01-01T00:00:00.000Z' } })).toMatchObject({
    status: 403,
  })
})

test('an invalid time is rejected', async () => {
  const { client } = await world.organization()
  expect(await client.ask('PATCH', '/inbox', { data: { seenUntil: '2026-13-45T25:00:00Z' } })).toMatchObject({
    status: 400,
    body: { details: [{ items: ['$.data.seenUntil: expected a moment that there is'] }] },
  })
})
