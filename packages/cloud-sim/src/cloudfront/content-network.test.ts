import {
  CreateDistributionCommand,
  CreateInvalidationCommand,
  CreateKeyValueStoreCommand,
  DeleteDistributionCommand,
  DescribeKeyValueStoreCommand,
  GetDistributionCommand,
  GetDistributionConfigCommand,
  GetInvalidationCommand,
  ListInvalidationsCommand,
  UpdateDistributionCommand,
} from '@aws-sdk/client-cloudfront'
import {
  DeleteKeyCommand,
  DescribeKeyValueStoreCommand as DescribeContentCommand,
  GetKeyCommand,
  ListKeysCommand,
  PutKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore'
import { describe, expect, test } from 'vitest'
import { account, startCloud, type TestCloud } from '../testing/cloud.ts'

const config = {
  CallerReference: 'one',
  Comment: '',
  Enabled: true,
  Origins: { Quantity: 1, Items: [{ Id: 'files', DomainName: 'site.s3.eu-west-1.amazonaws.com' }] },
  DefaultCacheBehavior: { TargetOriginId: 'files', ViewerProtocolPolicy: 'redirect-to-https' as const },
}

async function createDistribution({ cloudFront }: TestCloud) {
  const { Distribution, ETag } = await cloudFront.send(new CreateDistributionCommand({ DistributionConfig: config }))
  return { Id: Distribution?.Id ?? '', ETag: ETag ?? '' }
}

const invalidate = ({ cloudFront }: TestCloud, DistributionId: string, reference: string, paths: string[]) => {
  const InvalidationBatch = { CallerReference: reference, Paths: { Quantity: paths.length, Items: paths } }
  return cloudFront.send(new CreateInvalidationCommand({ DistributionId, InvalidationBatch }))
}

/** Creates a key value store and waits until it is ready. Returns it with the version of its empty content. */
async function createStore(cloud: TestCloud) {
  const { KeyValueStore } = await cloud.cloudFront.send(new CreateKeyValueStoreCommand({ Name: 'site' }))
  const KvsARN = KeyValueStore?.ARN ?? ''
  await cloud.control.advance(5)
  const { ETag = '' } = await cloud.keyValues.send(new DescribeContentCommand({ KvsARN }))
  return { KvsARN, IfMatch: ETag }
}

describe.concurrent('the simulated CloudFront', () => {
  test('deploys a distribution and each of its changes after a while', async () => {
    await using cloud = await startCloud()
    const { Id, ETag } = await createDistribution(cloud)
    const status = async () => (await cloud.cloudFront.send(new GetDistributionCommand({ Id }))).Distribution?.Status
    expect(await status()).toBe('InProgress')
    await cloud.control.advance(60)
    expect(await status()).toBe('Deployed')
    const changed = { Id, IfMatch: ETag, DistributionConfig: { ...config, Enabled: false } }
    const update = await cloud.cloudFront.send(new UpdateDistributionCommand(changed))
    expect(await status()).toBe('InProgress')
    const read = await cloud.cloudFront.send(new GetDistributionConfigCommand({ Id }))
    expect(read).toMatchObject({ ETag: update.ETag, DistributionConfig: { Enabled: false, Origins: config.Origins } })
    const stale = new DeleteDistributionCommand({ Id, IfMatch: ETag })
    await expect(cloud.cloudFront.send(stale)).rejects.toMatchObject({ name: 'PreconditionFailed' })
    await cloud.control.advance(60)
    await cloud.cloudFront.send(new DeleteDistributionCommand({ Id, IfMatch: update.ETag }))
    await expect(status()).rejects.toMatchObject({ name: 'NoSuchDistribution' })
  })

  test('rejects a distribution without its origin or with a wrong count', async () => {
    await using cloud = await startCloud()
    const create = (changes: object) =>
      cloud.cloudFront.send(new CreateDistributionCommand({ DistributionConfig: { ...config, ...changes } }))
    const elsewhere = { ...config.DefaultCacheBehavior, TargetOriginId: 'none' }
    await expect(create({ DefaultCacheBehavior: elsewhere })).rejects.toMatchObject({ name: 'NoSuchOrigin' })
    const miscounted = { ...config.Origins, Quantity: 2 }
    await expect(create({ Origins: miscounted })).rejects.toMatchObject({ name: 'InconsistentQuantities' })
  })

  test('completes an invalidation after a while, and creates one per reference', async () => {
    await using cloud = await startCloud()
    const { Id } = await createDistribution(cloud)
    const first = await invalidate(cloud, Id, 'dep_1', ['/*'])
    const again = await invalidate(cloud, Id, 'dep_1', ['/*'])
    expect(again.Invalidation?.Id).toBe(first.Invalidation?.Id)
    await expect(invalidate(cloud, Id, 'dep_1', ['/other'])).rejects.toMatchObject({
      name: 'InvalidationBatchAlreadyExists',
    })
    const asked = { DistributionId: Id, Id: first.Invalidation?.Id }
    const get = async () => (await cloud.cloudFront.send(new GetInvalidationCommand(asked))).Invalidation
    expect(await get()).toMatchObject({ Status: 'InProgress', InvalidationBatch: { Paths: { Items: ['/*'] } } })
    await cloud.control.advance(20)
    expect(await get()).toMatchObject({ Status: 'Completed' })
    const listed = await cloud.cloudFront.send(new ListInvalidationsCommand({ DistributionId: Id }))
    expect(listed.InvalidationList?.Items?.map((item) => item.Id)).toEqual([asked.Id])
  })

  test('allows fifteen wildcards and three thousand paths in progress', async () => {
    await using cloud = await startCloud()
    const { Id } = await createDistribution(cloud)
    const wildcards = (count: number) => Array.from({ length: count }, (_, n) => `/${n}/*`)
    await invalidate(cloud, Id, 'fifteen', wildcards(15))
    const tooMany = { name: 'TooManyInvalidationsInProgress' }
    await expect(invalidate(cloud, Id, 'one more', ['/more/*'])).rejects.toMatchObject(tooMany)
    await expect(invalidate(cloud, Id, 'a file', ['/more'])).resolves.toBeDefined()
    const files = Array.from({ length: 2985 }, (_, n) => `/file-${n}`)
    await expect(invalidate(cloud, Id, 'files', files)).rejects.toMatchObject(tooMany)
    await cloud.control.advance(60)
    await expect(invalidate(cloud, Id, 'one more', ['/more/*'])).resolves.toBeDefined()
  })

  test('rejects paths that are not encoded, and paths with ~ in either form', async () => {
    await using cloud = await startCloud()
    const { Id } = await createDistribution(cloud)
    for (const path of [
      '/a b',
      '/preise/übersicht',
      '/a[1].html',
      '/~ada/',
      '/%7Eada',
      '/%7eada',
      '/50%',
      `/${'a'.repeat(4_000)}`,
    ]) {
      await expect(invalidate(cloud, Id, path, [path]), path).rejects.toMatchObject({ name: 'InvalidArgument' })
    }
    const encoded = ['/a%20b', '/preise/%C3%BCbersicht/*', "/a(1)'s,@b:c;d=e&f+g!$.html?x=1"]
    await expect(invalidate(cloud, Id, 'encoded', encoded)).resolves.toBeDefined()
  })

  test('never completes an invalidation of a path that ends with -hang', async () => {
    await using cloud = await startCloud()
    const { Id } = await createDistribution(cloud)
    const { Invalidation } = await invalidate(cloud, Id, 'dep_1', ['/will-hang*'])
    await cloud.control.advance(86_400)
    const asked = { DistributionId: Id, Id: Invalidation?.Id }
    const found = await cloud.cloudFront.send(new GetInvalidationCommand(asked))
    expect(found.Invalidation?.Status).toBe('InProgress')
  })

  test('makes a key value store ready after a while', async () => {
    await using cloud = await startCloud()
    const { KvsARN } = await createStore(cloud)
    expect(KvsARN).toMatch(new RegExp(`^arn:aws:cloudfront::${account}:key-value-store/[0-9a-f-]{36}$`))
    const described = await cloud.cloudFront.send(new DescribeKeyValueStoreCommand({ Name: 'site' }))
    expect(described.KeyValueStore).toMatchObject({ ARN: KvsARN, Status: 'READY' })
    await expect(cloud.cloudFront.send(new CreateKeyValueStoreCommand({ Name: 'site' }))).rejects.toMatchObject({
      name: 'EntityAlreadyExists',
    })
  })

  test('changes the content of a store only with its current version', async () => {
    await using cloud = await startCloud()
    const { KvsARN, IfMatch } = await createStore(cloud)
    const put = (Value: string, tag: string) =>
      cloud.keyValues.send(new PutKeyCommand({ KvsARN, Key: 'active', Value, IfMatch: tag }))
    const { ETag = '' } = await put('r/1', IfMatch)
    expect(await cloud.keyValues.send(new GetKeyCommand({ KvsARN, Key: 'active' }))).toMatchObject({ Value: 'r/1' })
    await expect(put('r/2', IfMatch)).rejects.toMatchObject({ name: 'ConflictException' })
    const several = { KvsARN, IfMatch: ETag, Puts: [{ Key: 'a/b', Value: '1' }], Deletes: [{ Key: 'active' }] }
    await cloud.keyValues.send(new UpdateKeysCommand(several))
    const { Items } = await cloud.keyValues.send(new ListKeysCommand({ KvsARN }))
    expect(Items).toEqual([{ Key: 'a/b', Value: '1' }])
    await expect(cloud.keyValues.send(new GetKeyCommand({ KvsARN, Key: 'active' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
  })

  test('enforces the limits of keys and values', async () => {
    await using cloud = await startCloud()
    const { KvsARN, IfMatch } = await createStore(cloud)
    const long = new PutKeyCommand({ KvsARN, Key: 'active', Value: 'x'.repeat(1025), IfMatch })
    await expect(cloud.keyValues.send(long)).rejects.toMatchObject({ name: 'ValidationException' })
    const none = new DeleteKeyCommand({ KvsARN, Key: 'none', IfMatch })
    await expect(cloud.keyValues.send(none)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  })
})
