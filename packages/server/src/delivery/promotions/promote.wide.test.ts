import type { DeploymentResources, DeploymentSource, ModuleInstance } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { ecsDataOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { deployments } from '../deployments/store/tables.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

const promote = (id: string, moduleInstanceId: string, client = org.client) =>
  client.ask('POST', `/deployments/${id}/promote`, { data: { moduleInstanceId } })

test('a version is promoted with exactly the image that ran and the configuration of the target', async () => {
  const [here, there] = [await org.service(), await org.service()]
  const image = 'shop/moving:2.1.0'
  const released = await org.untilStatus((await org.deploy(here.moduleInstanceId, image)).id, 'SUCCESS')
  const digest = await eventually(
    'the digest to be known',
    () => digestOf(released.id),
    (known) => known !== undefined,
  )
  await world.cloud.moveTag({ image, digest: `sha256:${'ab'.repeat(32)}` })
  const { status, body } = await promote(released.id, there.moduleInstanceId)
  expect(status, JSON.stringify(body)).toBe(201)
  const { data } = body as { data: { id: string; moduleInstanceId: string; description: string } }
  expect(data).toMatchObject({ moduleInstanceId: there.moduleInstanceId, description: released.description })
  const done = ecsDataOf(await org.untilStatus(data.id, 'SUCCESS'))
  expect(done.serviceArn).toBe(there.input.service_arn)
  const exactly = `${image}@${digest}`
  expect(done.deployedTaskDefinition?.definition).toMatchObject({ containerDefinitions: [{ image: exactly }] })
  expect((await org.client.ask('GET', `/deployments/${data.id}?include=promotion`)).body).toMatchObject({
    included: { promotion: { fromDeploymentId: released.id, images: [{ image: exactly, digest }] } },
  })
  const again = await org.untilStatus((await org.deploy(here.moduleInstanceId, image)).id, 'SUCCESS')
  const moved = await eventually(
    'the digest to be known',
    () => digestOf(again.id),
    (known) => known !== undefined,
  )
  expect(moved).toBe(`sha256:${'ab'.repeat(32)}`)
})

test('the image of a service with more tasks than one page is the one that all of them ran', async () => {
  const [here, there] = [await org.service(null, { desiredCount: 120 }), await org.service()]
  const image = 'shop/large:2.1.0'
  const released = await org.untilStatus((await org.deploy(here.moduleInstanceId, image)).id, 'SUCCESS')
  const digest = await eventually(
    'the digest to be known',
    () => digestOf(released.id),
    (known) => known !== undefined,
  )
  const { body } = await org.client.ask('GET', `/deployments/${released.id}/resources`)
  const { data, meta } = body as DeploymentResources
  expect(data.filter(({ kind, release }) => kind === 'TASK' && release === 'NEW')).toHaveLength(120)
  expect(meta).toMatchObject({ isLive: false, isComplete: true })
  await world.cloud.moveTag({ image, digest: `sha256:${'cd'.repeat(32)}` })
  const { status, body: answer } = await promote(released.id, there.moduleInstanceId)
  expect(status, JSON.stringify(answer)).toBe(201)
  const { id } = (answer as { data: { id: string } }).data
  expect(ecsDataOf(await org.untilStatus(id, 'SUCCESS')).deployedTaskDefinition?.definition).toMatchObject({
    containerDefinitions: [{ image: `${image}@${digest}` }],
  })
})

/** Returns the digest of the image that the tasks of a release ran, once it is stored. */
async function digestOf(id: string): Promise<string | undefined> {
  const { body } = await org.client.ask('GET', `/deployments/${id}?include=source`)
  return (body as { included: { source: DeploymentSource } }).included.source.imageDigest
}

test('an external deployment and its repetitions have no inputs and cannot be promoted', async () => {
  const [here, there] = [await org.service(), await org.service()]
  const ours = await org.untilStatus((await org.deploy(here.moduleInstanceId)).id, 'SUCCESS')
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, ours.id))
  if (!row) throw new Error('the deployment is not there')
  const outside = { ...row, id: newId('dep'), triggerSource: 'EXTERNAL', inputs: {} } as const
  await world.db.insert(deployments).values(outside)
  const again = await org.untilStatus((await org.redeploy(outside.id)).id, 'SUCCESS')
  for (const { id } of [outside, again]) {
    expect(await promote(id, there.moduleInstanceId)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:NO_STORED_RELEASE' },
    })
  }
})

test('an instance of another module or organization is rejected', async () => {
  const [here, there, other] = [await org.service(), await org.service(), await world.organization()]
  const released = await org.untilStatus((await org.deploy(here.moduleInstanceId)).id, 'SUCCESS')
  const stranger = await other.service()
  expect((await promote(released.id, stranger.moduleInstanceId)).status).toBe(404)
  const theirs = await other.client.done<ModuleInstance>('GET', `/module-instances/${stranger.moduleInstanceId}`)
  await world.db
    .update(moduleInstances)
    .set({ moduleDefinitionId: theirs.moduleDefinitionId })
    .where(eq(moduleInstances.id, there.moduleInstanceId))
  expect((await promote(released.id, there.moduleInstanceId)).body).toMatchObject({
    code: expect.stringMatching(/MISMATCH/),
  })
})

test('a user without the permission to deploy in the source environment cannot promote from it', async () => {
  const { moduleInstanceId } = await org.service()
  const released = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
  expect((await promote(released.id, moduleInstanceId, await org.member('VIEWER'))).status).toBe(403)
})
