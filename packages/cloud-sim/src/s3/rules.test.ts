import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetBucketLifecycleConfigurationCommand,
  ListObjectsV2Command,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { region, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
const Bucket = 'rules-of-storage'
const create = (name: string) =>
  cloud.s3.send(new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration: { LocationConstraint: region } }))
beforeAll(async () => {
  cloud = await startCloud()
  await create(Bucket)
  await cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'page', Body: 'x' }))
})
afterAll(() => cloud[Symbol.asyncDispose]())

test(
  'an invalid bucket name is rejected',
  everyCase(
    ['192.168.0.1', 'two..dots', 'Upper', 'xn--web', 'sthree-web', 'web-s3alias', '-web', 'ab'],
    async (name) => {
      await expect(create(name)).rejects.toMatchObject({ name: 'InvalidBucketName' })
    },
  ),
)

const copy = (more: object) =>
  cloud.s3.send(new CopyObjectCommand({ Bucket, Key: 'page', CopySource: `${Bucket}/page`, ...more }))

test(
  'S3 rejects an invalid request',
  everyCase<[string, () => Promise<unknown>, string]>(
    [
      ['a copy onto itself', () => copy({}), 'InvalidRequest'],
      ['a copy under a long name', () => copy({ Key: 'x'.repeat(1025) }), 'KeyTooLongError'],
      [
        'more than 2 KB of metadata',
        () =>
          cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'page', Body: 'x', Metadata: { note: 'x'.repeat(2048) } })),
        'MetadataTooLarge',
      ],
      [
        'a token that nobody gave out',
        () => cloud.s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken: 'not a token' })),
        'InvalidArgument',
      ],
    ],
    async (_, ask, name) => {
      await expect(ask()).rejects.toMatchObject({ name })
    },
  ),
)

test('a copy onto itself that replaces the metadata is accepted', async () => {
  await expect(copy({ MetadataDirective: 'REPLACE', ContentType: 'text/html' })).resolves.toBeDefined()
})

test('a lifecycle rule contains its minimum object size', async () => {
  const rule = { ID: 'old', Status: 'Enabled' as const, Filter: { Prefix: 'old/' }, Expiration: { Days: 30 } }
  const put = new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [rule] } })
  expect(await cloud.s3.send(put)).toMatchObject({ TransitionDefaultMinimumObjectSize: 'all_storage_classes_128K' })
  expect(await cloud.s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).toMatchObject({
    TransitionDefaultMinimumObjectSize: 'all_storage_classes_128K',
    Rules: [rule],
  })
})
