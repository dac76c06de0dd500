import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { Deployment, DeploymentPromotion, ModuleInstance } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { createFunction } from '../../../../../demo/functions.ts'
import { functionDataOf, type TestFunction, testFunction } from '../../../../testing/functions.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

/** Creates a similar function, and an instance of the same module that releases to it. */
async function another(fn: TestFunction, code: Parameters<typeof createFunction>[1]['code']): Promise<string> {
  const there = await org.client.done<ModuleInstance>('GET', `/module-instances/${fn.moduleInstanceId}`)
  const name = `${there.givenId}-later`
  const { clients, accountNumber } = org
  const function_arn = await createFunction(clients.lambda, { name, accountNumber, code })
  const { environmentId, moduleDefinitionId, moduleVersionId, input } = there
  const { id } = await org.client.done<{ id: string }>('POST', '/module-instances', {
    data: {
      environmentId,
      moduleDefinitionId,
      moduleVersionId,
      givenId: name,
      name,
      input: { ...input, function_arn },
    },
  })
  return id
}

async function promote(source: Deployment, moduleInstanceId: string): Promise<Deployment> {
  const data = { moduleInstanceId }
  const { id } = await org.client.done<Deployment>('POST', `/deployments/${source.id}/promote`, { data })
  return org.untilStatus(id, 'SUCCESS', 'ERROR')
}

async function promotionOf(id: string): Promise<DeploymentPromotion> {
  const { body } = await org.client.ask('GET', `/deployments/${id}?include=promotion`)
  return (body as { included: { promotion: DeploymentPromotion } }).included.promotion
}

test('the image of a function is promoted by its digest, regardless of its tag, also after a redeployment', async () => {
  const fn = await testFunction(org, { packageType: 'image' })
  const first = await org.untilStatus((await fn.deploy('v2')).id, 'SUCCESS')
  const { imageUri = '', codeSha256, resolvedImageUri } = functionDataOf(first)
  const there = await another(fn, { ImageUri: imageUri })
  await world.cloud.moveTag({ image: imageUri, digest: `sha256:${'ab'.repeat(32)}` })
  const digest = resolvedImageUri?.split('@')[1]
  const image = `${imageUri}@${digest}`
  const done = await promote(first, there)
  expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'SUCCESS' })
  expect(functionDataOf(done)).toMatchObject({ imageUri: image, codeSha256 })
  expect(await promotionOf(done.id)).toMatchObject({ fromDeploymentId: first.id, images: [{ image, digest }] })

  await org.untilStatus((await fn.deploy('v2')).id, 'SUCCESS')
  const again = await org.untilStatus((await org.redeploy(first.id)).id, 'SUCCESS')
  expect(functionDataOf(await promote(again, there))).toMatchObject({ imageUri: image, codeSha256 })
})

test('the archive of a function is promoted only as the code that ran', async () => {
  const fn = await testFunction(org)
  const { input } = await org.client.done<ModuleInstance>('GET', `/module-instances/${fn.moduleInstanceId}`)
  const Bucket = String(input.artifact_bucket)
  const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' } as const
  await org.clients.storage.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
  const put = (Key: string, code: string) =>
    org.clients.storage.send(new PutObjectCommand({ Bucket, Key, Body: `PK ${code}` }))
  await put('v1.zip', 'one')
  await put('v2.zip', 'two')
  const there = await another(fn, { S3Bucket: Bucket, S3Key: 'v1.zip' })
  const released = await org.untilStatus((await fn.deploy('v2')).id, 'SUCCESS')
  const { codeSha256 = '' } = functionDataOf(released)
  const done = await promote(released, there)
  expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'SUCCESS' })
  expect(functionDataOf(done)).toMatchObject({ codeSha256, s3Key: 'v2.zip' })
  const digest = `sha256:${Buffer.from(codeSha256, 'base64').toString('hex')}`
  expect(await promotionOf(done.id)).toMatchObject({ images: [{ image: `s3://${Bucket}/v2.zip`, digest }] })

  await put('v2.zip', 'another')
  const { version } = functionDataOf(done)
  const refused = await promote(released, there)
  expect(refused).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:RELEASE_MISSING' } })
  expect(functionDataOf(refused), 'the alias is as it was').toMatchObject({ aliasState: { version } })
  expect(functionDataOf(refused).version, 'nothing was published').toBeUndefined()
})
