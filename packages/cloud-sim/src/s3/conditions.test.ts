import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { account, region, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let etag = ''
const Bucket = 'conditions'
const page = { Bucket, Key: 'page' }
const other = '"0123456789abcdef0123456789abcdef"'
const earlier = new Date('2020-01-01T00:00:00Z')
const later = new Date('2099-01-01T00:00:00Z')

beforeAll(async () => {
  cloud = await startCloud()
  const CreateBucketConfiguration = { LocationConstraint: region } as const
  await cloud.s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
})
afterAll(() => cloud[Symbol.asyncDispose]())
const writePage = async () => {
  etag = (await cloud.s3.send(new PutObjectCommand({ ...page, Body: 'one' }))).ETag ?? ''
}
beforeEach(writePage)

/** Returns `OK`, or the status with which a request is rejected. */
const outcome = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'OK',
    (error: { $metadata: { httpStatusCode: number } }) => error.$metadata.httpStatusCode,
  )

const read = (more: object) => outcome(cloud.s3.send(new GetObjectCommand({ ...page, ...more })))
const head = (more: object) => outcome(cloud.s3.send(new HeadObjectCommand({ ...page, ...more })))
const write = (more: object) => outcome(cloud.s3.send(new PutObjectCommand({ ...page, Body: 'two', ...more })))
const copy = (more: object) =>
  outcome(cloud.s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/page`, ...more })))
const remove = (more: object) => outcome(cloud.s3.send(new DeleteObjectCommand({ ...page, ...more })))

test(
  'a request is executed if its conditions hold',
  everyCase<[string, () => Promise<unknown>, unknown]>(
    [
      ['a read of this version', () => read({ IfMatch: etag }), 'OK'],
      ['a read of one of several versions', () => read({ IfMatch: `${other}, ${etag}` }), 'OK'],
      ['a read of another version', () => read({ IfMatch: other }), 412],
      ['a read of what the reader has', () => read({ IfNoneMatch: etag }), 304],
      ['a look at what the reader has', () => head({ IfNoneMatch: etag }), 304],
      ['a read of what the reader has not', () => read({ IfNoneMatch: other }), 'OK'],
      ['a read of what is newer', () => read({ IfModifiedSince: earlier }), 'OK'],
      ['a read of what is older', () => read({ IfModifiedSince: later }), 304],
      ['a read of what nobody changed', () => read({ IfUnmodifiedSince: later }), 'OK'],
      ['a read of what somebody changed', () => read({ IfUnmodifiedSince: earlier }), 412],
      ['a read whose ETag counts more', () => read({ IfMatch: etag, IfUnmodifiedSince: earlier }), 'OK'],
      ['a read whose other ETag counts more', () => read({ IfNoneMatch: other, IfModifiedSince: later }), 'OK'],
      ['a write over this version', () => write({ IfMatch: etag }), 'OK'],
      ['a write over another version', () => write({ IfMatch: other }), 412],
      ['a write over nothing', () => write({ Key: 'none', IfMatch: etag }), 404],
      ['a write of something new', () => write({ IfNoneMatch: '*' }), 412],
      ['a write unless it is this version', () => write({ IfNoneMatch: etag }), 501],
      ['a copy of this version', () => copy({ CopySourceIfMatch: etag }), 'OK'],
      ['a copy of another version', () => copy({ CopySourceIfMatch: other }), 412],
      ['a copy unless it is this version', () => copy({ CopySourceIfNoneMatch: etag }), 412],
      ['a copy of what is older', () => copy({ CopySourceIfModifiedSince: later }), 412],
      ['a copy of what somebody changed', () => copy({ CopySourceIfUnmodifiedSince: earlier }), 412],
      ['a deletion of another version', () => remove({ IfMatch: other }), 412],
      ['a deletion of this version', () => remove({ IfMatch: etag }), 'OK'],
      ['a request to the owner', () => read({ ExpectedBucketOwner: account, Key: 'copy' }), 'OK'],
      ['a request to another owner', () => read({ ExpectedBucketOwner: '999999999999', Key: 'copy' }), 403],
      [
        'a list of another owner',
        () => outcome(cloud.s3.send(new ListObjectsV2Command({ Bucket, ExpectedBucketOwner: '999999999999' }))),
        403,
      ],
      ['a copy from another owner', () => copy({ ExpectedSourceBucketOwner: '999999999999' }), 403],
      ['an MD5 that is none', () => write({ ContentMD5: 'nonsense' }), 400],
      ['a checksum that is none', () => write({ ChecksumCRC32: 'nonsense' }), 400],
    ],
    async (_, ask, expected) => {
      await writePage()
      expect(await ask()).toBe(expected)
    },
  ),
)

test('an upload is completed only if the object is in the expected state', async () => {
  const upload = await cloud.s3.send(new CreateMultipartUploadCommand(page))
  const { UploadId } = upload
  const { ETag } = await cloud.s3.send(new UploadPartCommand({ ...page, UploadId, PartNumber: 1, Body: 'x' }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  const complete = (IfMatch: string) =>
    outcome(cloud.s3.send(new CompleteMultipartUploadCommand({ ...page, UploadId, MultipartUpload, IfMatch })))
  expect([await complete(other), await complete(etag)]).toEqual([412, 'OK'])
})

test('a bulk delete deletes only objects with the expected ETags', async () => {
  await cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'second', Body: '2' }))
  const Objects = [
    { Key: 'page', ETag: other },
    { Key: 'second', ETag: '*' },
  ]
  const { Deleted, Errors } = await cloud.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect([Deleted?.map(({ Key }) => Key), Errors?.map(({ Key, Code }) => [Key, Code])]).toEqual([
    ['second'],
    [['page', 'PreconditionFailed']],
  ])
})

test('keys with any characters can be copied and deleted', async () => {
  const keys = ['a?versionId=b', 'a/b c+d', 'line\nbreak', ' ', 'ä&<>"']
  for (const Key of keys) {
    await cloud.s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
    // Terraform also encodes the slash after the bucket.
    for (const CopySource of [`${Bucket}/${encodeURIComponent(Key)}`, encodeURIComponent(`${Bucket}/${Key}`)]) {
      await cloud.s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))
      const { Body } = await cloud.s3.send(new GetObjectCommand({ Bucket, Key: 'copy' }))
      expect(await Body?.transformToString()).toBe(Key)
    }
  }
  const Objects = keys.map((Key) => ({ Key }))
  const { Deleted } = await cloud.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect(Deleted?.map(({ Key }) => Key)).toEqual(keys)
  for (const Key of keys) expect(await head({ Key })).toBe(404)
})
