import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketMetricsConfigurationCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { region, startCloud, type TestCloud } from '../testing/cloud.ts'

const Bucket = 'tagged'
const page = { Bucket, Key: 'page' }

async function startWithPage(Tagging?: string) {
  const cloud = await startCloud()
  const CreateBucketConfiguration = { LocationConstraint: region } as const
  await cloud.s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
  await cloud.s3.send(new PutObjectCommand({ ...page, Body: '<p>1</p>', Tagging }))
  return cloud
}

const contentOf = async ({ s3 }: TestCloud) => (await s3.send(new GetObjectCommand(page))).Body?.transformToString()
const tagsOf = async ({ s3 }: TestCloud, more: object = {}) => {
  const { TagSet = [] } = await s3.send(new GetObjectTaggingCommand({ ...page, ...more }))
  return Object.fromEntries(TagSet.map(({ Key = '', Value }) => [Key, Value]))
}
const tag = ({ s3 }: TestCloud, tags: Record<string, string>, more: object = {}) => {
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  return s3.send(new PutObjectTaggingCommand({ ...page, ...more, Tagging: { TagSet } }))
}

test('the tags of an object change without its content', async () => {
  await using cloud = await startWithPage('team=web&cost%20center=7')
  expect(await tagsOf(cloud)).toEqual({ team: 'web', 'cost center': '7' })
  expect(await cloud.s3.send(new HeadObjectCommand(page))).toMatchObject({ TagCount: 2 })
  await tag(cloud, { team: 'shop' })
  expect([await tagsOf(cloud), await contentOf(cloud)]).toEqual([{ team: 'shop' }, '<p>1</p>'])
  await cloud.s3.send(new DeleteObjectTaggingCommand(page))
  expect([await tagsOf(cloud), await contentOf(cloud)]).toEqual([{}, '<p>1</p>'])
})

test('a copy and a multipart upload have the requested tags', async () => {
  await using cloud = await startWithPage('team=web')
  const copy = (Key: string, more: object) =>
    cloud.s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/page`, ...more }))
  await copy('same', {})
  await copy('other', { TaggingDirective: 'REPLACE', Tagging: 'team=shop' })
  const parts = { Bucket, Key: 'parts' }
  const { UploadId } = await cloud.s3.send(new CreateMultipartUploadCommand({ ...parts, Tagging: 'team=parts' }))
  const { ETag } = await cloud.s3.send(new UploadPartCommand({ ...parts, UploadId, PartNumber: 1, Body: 'x' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  await cloud.s3.send(new CompleteMultipartUploadCommand({ ...parts, UploadId, MultipartUpload }))
  const found = await Promise.all(['same', 'other', 'parts'].map((Key) => tagsOf(cloud, { Key })))
  expect(found.map(({ team }) => team)).toEqual(['web', 'shop', 'parts'])
})

test('each version of an object has its own tags', async () => {
  await using cloud = await startWithPage()
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await cloud.s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  const { VersionId } = await cloud.s3.send(new PutObjectCommand({ ...page, Body: '2', Tagging: 'n=2' }))
  await cloud.s3.send(new PutObjectCommand({ ...page, Body: '3', Tagging: 'n=3' }))
  await tag(cloud, { n: 'two' }, { VersionId })
  expect([await tagsOf(cloud), await tagsOf(cloud, { VersionId })]).toEqual([{ n: '3' }, { n: 'two' }])
})

test('invalid tags are rejected and change nothing', async () => {
  await using cloud = await startWithPage('team=web')
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`tag${index}`, '']))
  const TagSet = ['team', 'team'].map((Key) => ({ Key, Value: 'x' }))
  const twice = () => cloud.s3.send(new PutObjectTaggingCommand({ ...page, Tagging: { TagSet } }))
  const written = (Tagging: string) => cloud.s3.send(new PutObjectCommand({ ...page, Body: '2', Tagging }))
  await expect(tag(cloud, many)).rejects.toMatchObject({ name: 'BadRequest' })
  await expect(twice()).rejects.toMatchObject({ name: 'InvalidTag' })
  await expect(tag(cloud, { 'aws:x': '' })).rejects.toMatchObject({ name: 'InvalidTag' })
  await expect(written('a=1&a=2')).rejects.toMatchObject({ name: 'InvalidArgument' })
  await expect(tag(cloud, {}, { Key: 'none' })).rejects.toMatchObject({ name: 'NoSuchKey' })
  expect([await tagsOf(cloud), await contentOf(cloud)]).toEqual([{ team: 'web' }, '<p>1</p>'])
})

test('an unsupported operation leaves objects and buckets unchanged', async () => {
  await using cloud = await startWithPage()
  const retention = new PutObjectRetentionCommand({ ...page, Retention: { Mode: 'GOVERNANCE' } })
  await expect(cloud.s3.send(retention)).rejects.toMatchObject({
    name: 'NotImplemented',
    message: expect.stringContaining('PutObjectRetention'),
  })
  const metrics = new DeleteBucketMetricsConfigurationCommand({ Bucket, Id: '1' })
  await expect(cloud.s3.send(metrics)).rejects.toMatchObject({ name: 'NotImplemented' })
  expect(await contentOf(cloud)).toBe('<p>1</p>')
})

test('objects and buckets have ACLs if their bucket allows them', async () => {
  await using cloud = await startWithPage()
  const { s3 } = cloud
  const set = (ACL: 'private' | 'public-read') => s3.send(new PutObjectAclCommand({ ...page, ACL }))
  const setOfBucket = () => s3.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
  const controls = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }))
  expect(controls.OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }])
  await expect(set('public-read')).rejects.toMatchObject({ name: 'AccessControlListNotSupported' })
  await expect(setOfBucket()).rejects.toMatchObject({ name: 'AccessControlListNotSupported' })
  const Rules = [{ ObjectOwnership: 'BucketOwnerPreferred' as const }]
  await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules } }))
  await set('public-read')
  const { Grants } = await s3.send(new GetObjectAclCommand(page))
  expect(Grants?.map(({ Permission, Grantee }) => [Permission, Grantee?.Type])).toEqual([
    ['FULL_CONTROL', 'CanonicalUser'],
    ['READ', 'Group'],
  ])
  await setOfBucket()
  expect((await s3.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(1)
  expect(await contentOf(cloud)).toBe('<p>1</p>')
})
