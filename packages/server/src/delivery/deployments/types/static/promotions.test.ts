import type { Deployment, DeploymentPromotion, ModuleInstance } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { createSite } from '../../../../../demo/site.ts'
import { createTestSite } from '../../../../testing/static-site.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

/** Creates another site, from the given or a new bucket, and an instance that releases to it. */
async function another(moduleInstanceId: string, bucket?: string): Promise<string> {
  const here = await org.client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const name = `${here.givenId}-${bucket === undefined ? 'elsewhere' : 'later'}`
  const site = await createSite(org.clients, name, 'eu-west-1')
  const { environmentId, moduleDefinitionId, moduleVersionId } = here
  const input = {
    bucket: bucket ?? site.bucket,
    distribution_arns: [site.distribution_arn],
    keyvaluestore_arn: site.keyvaluestore_arn,
  }
  const data = { environmentId, moduleDefinitionId, moduleVersionId, givenId: name, name, input }
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

test('the files of a site are promoted only as they were served', async () => {
  const site = await createTestSite(world, org, { active: 'r/1' })
  const there = await another(site.moduleInstanceId, site.site.bucket)
  const released = await site.release('r/2')
  const image = `s3://${site.site.bucket}/r/2/`
  const done = await promote(released, there)
  expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'SUCCESS' })
  expect(await imagesOf(done.id)).toEqual([{ image, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }])

  await site.upload('r/2', ['late.html'])
  expect(await promote(released, there)).toMatchObject({
    status: 'ERROR',
    error: {
      code: 'Sluice:Deployments:RELEASE_MISSING',
      message: expect.stringContaining('no longer contains the files that ran in the source environment'),
    },
  })
  // A new release of the same directory in the source environment can be promoted.
  const again = await promote(await site.release('r/2'), there)
  expect(again, JSON.stringify(again.error)).toMatchObject({ status: 'SUCCESS' })
})

test('from another bucket, the current files are released, with a warning', async () => {
  const site = await createTestSite(world, org, { active: 'r/1' })
  const released = await site.release('r/2')
  const there = await another(site.moduleInstanceId)
  const done = await promote(released, there)
  // The directory is empty.
  expect(done).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:RELEASE_MISSING' } })
  expect(await imagesOf(done.id)).toEqual([
    { image: expect.stringMatching(/^s3:.*\/r\/2\/$/), warning: 'What is stored there by then is released.' },
  ])
})
