import { DescribeImagesCommand } from '@aws-sdk/client-ecr'
import type { Deployment, DeploymentPromotion, ModuleInstance } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { createGroup, groupDataOf, publishedOf, runsOf, untilReachable } from '../../../../testing/machine-group.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

async function another(moduleInstanceId: string): Promise<string> {
  const here = await org.client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const { environmentId, moduleDefinitionId, moduleVersionId, givenId, input } = here
  const named = { givenId: `${givenId}-later`, name: 'Later' }
  const data = { environmentId, moduleDefinitionId, moduleVersionId, ...named, input }
  return (await org.client.done<{ id: string }>('POST', '/module-instances', { data })).id
}

async function promote(source: Deployment, moduleInstanceId: string): Promise<Deployment> {
  const data = { moduleInstanceId }
  const { id } = await org.client.done<Deployment>('POST', `/deployments/${source.id}/promote`, { data })
  return org.untilStatus(id, 'SUCCESS', 'ERROR')
}

async function imagesOf(id: string): Promise<DeploymentPromotion['images']> {
  const { body } = await org.client.ask('GET', `/deployments/${id}?include=promotion`)
  return (body as { included: { promotion: DeploymentPromotion } }).included.promotion.images
}

test('all instances of a group pull the image that its tag referred to, and so do those of a promotion', async () => {
  const { accountNumber: account } = org
  const place = { account, region: 'eu-west-1', name: 'shop/workers' }
  /** Pushes an image with the tag; more tags make it a different image. */
  const push = (...more: string[]) =>
    world.cloud.putRepository({ ...place, images: [{ tags: ['2.0.0', ...more], secondsAgo: 60 }] })
  const digestNow = async () => {
    const command = new DescribeImagesCommand({ repositoryName: place.name, imageIds: [{ imageTag: '2.0.0' }] })
    return (await org.clients.images.send(command)).imageDetails?.[0]?.imageDigest
  }
  await push()
  const digest = await digestNow()
  const group = await createGroup(world, org, { size: 2 })
  await untilReachable(org, group, 2)
  const tagged = `${account}.dkr.ecr.eu-west-1.amazonaws.com/shop/workers:2.0.0`
  const image = `${tagged}@${digest}`
  const released = await org.untilStatus((await org.deploy(group.moduleInstanceId, tagged)).id, 'SUCCESS')
  expect(groupDataOf(released).deployedRelease).toMatchObject({ imageUri: image })
  expect(await runsOf(world, group)).toEqual([image, image])
  expect(await publishedOf(org, group), 'instances that start later').toMatchObject({ imageUri: image })

  await push('stable')
  expect(await digestNow(), 'the tag was moved').not.toBe(digest)
  const done = await promote(released, await another(group.moduleInstanceId))
  expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'SUCCESS' })
  expect(groupDataOf(done).deployedRelease).toMatchObject({ imageUri: image })
  expect(await imagesOf(done.id)).toEqual([{ image, digest }])
  const again = await org.untilStatus((await org.redeploy(released.id)).id, 'SUCCESS')
  expect(groupDataOf(again).deployedRelease).toMatchObject({ imageUri: image })
})

test('an image of an external registry keeps its tag, with a warning', async () => {
  const group = await createGroup(world, org, { size: 1 })
  await untilReachable(org, group, 1)
  const released = await org.untilStatus((await org.deploy(group.moduleInstanceId, 'ghcr.io/shop/app:2')).id, 'SUCCESS')
  const done = await promote(released, await another(group.moduleInstanceId))
  expect(done).toMatchObject({ status: 'SUCCESS' })
  expect(await imagesOf(done.id)).toEqual([
    { image: 'ghcr.io/shop/app:2', warning: expect.stringMatching(/by its tag/) },
  ])
})
