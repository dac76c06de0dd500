import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketCorsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { describe, expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

const Bucket = 'site'

async function startWithBucket() {
  const cloud = await startCloud()
  const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' as const }
  await cloud.s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
  return cloud
}

const put = ({ s3 }: TestCloud, ...keys: string[]) =>
  Promise.all(keys.map((Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }))))

async function list({ s3 }: TestCloud, input: Partial<ConstructorParameters<typeof ListObjectsV2Command>[0]> = {}) {
  const page = await s3.send(new ListObjectsV2Command({ Bucket, ...input }))
  return { ...page, keys: (page.Contents ?? []).map(({ Key }) => Key) }
}

describe.concurrent('the simulated S3', () => {
  test('returns stored objects with their headers and metadata', async () => {
    await using cloud = await startWithBucket()
    const Key = 'r/1/ä b+c.html'
    const about = { ContentType: 'text/html', CacheControl: 'max-age=60', Metadata: { made: 'by hand' } }
    const { ETag } = await cloud.s3.send(new PutObjectCommand({ Bucket, Key, Body: '<p>1</p>', ...about }))
    const found = await cloud.s3.send(new GetObjectCommand({ Bucket, Key }))
    expect(await found.Body?.transformToString()).toBe('<p>1</p>')
    expect(found).toMatchObject({ ETag, ...about, ContentLength: 8 })
    const head = await cloud.s3.send(new HeadObjectCommand({ Bucket, Key }))
    expect(head).toMatchObject({ ETag, ContentLength: 8 })
  })

  test('accepts chunked bodies with a trailing checksum', async () => {
    await using cloud = await startWithBucket()
    const Body = Readable.from([Buffer.alloc(70_000, 'a'), Buffer.alloc(70_000, 'b')])
    await cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'big', Body, ContentLength: 140_000 }))
    const found = await cloud.s3.send(new GetObjectCommand({ Bucket, Key: 'big' }))
    const text = await found.Body?.transformToString()
    expect([text?.length, text?.[69_999], text?.[70_000]]).toEqual([140_000, 'a', 'b'])
  })

  test('rejects a body that does not match its checksum', async () => {
    await using cloud = await startWithBucket()
    const command = new PutObjectCommand({
      Bucket,
      Key: 'a',
      Body: 'a',
      ChecksumSHA256: Buffer.alloc(32).toString('base64'),
    })
    await expect(cloud.s3.send(command)).rejects.toMatchObject({ name: 'BadDigest' })
  })

  test('supports conditional creation', async () => {
    await using cloud = await startWithBucket()
    const once = () => cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', IfNoneMatch: '*' }))
    await once()
    await expect(once()).rejects.toMatchObject({ name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } })
  })

  test('lists in pages, in order, by prefix and delimiter', async () => {
    await using cloud = await startWithBucket()
    await put(cloud, 'r/2/b', 'r/10/a', 'r/1/b', 'r/1/a', 'other')
    expect((await list(cloud, { Prefix: 'r/1/' })).keys).toEqual(['r/1/a', 'r/1/b'])
    const folders = await list(cloud, { Prefix: 'r/', Delimiter: '/' })
    expect(folders.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['r/1/', 'r/10/', 'r/2/'])
    const first = await list(cloud, { MaxKeys: 3 })
    expect(first).toMatchObject({ keys: ['other', 'r/1/a', 'r/1/b'], IsTruncated: true, KeyCount: 3 })
    const second = await list(cloud, { MaxKeys: 3, ContinuationToken: first.NextContinuationToken })
    expect(second).toMatchObject({ keys: ['r/10/a', 'r/2/b'], IsTruncated: false })
  })

  test('deletes in bulk and reports failures', async () => {
    await using cloud = await startWithBucket()
    await put(cloud, 'a', 'b', 'c-locked')
    const Objects = ['a', 'c-locked', 'never-there'].map((Key) => ({ Key }))
    const { Deleted, Errors } = await cloud.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['a', 'never-there'])
    expect(Errors).toMatchObject([{ Key: 'c-locked', Code: 'AccessDenied' }])
    await cloud.s3.send(new DeleteObjectCommand({ Bucket, Key: 'b' }))
    expect((await list(cloud)).keys).toEqual(['c-locked'])
  })

  describe('with versioning', () => {
    const version = async (cloud: TestCloud, VersionId?: string) => {
      const { Body, ...rest } = await cloud.s3.send(new GetObjectCommand({ Bucket, Key: 'a', VersionId }))
      return { ...rest, text: await Body?.transformToString() }
    }
    const keep = (cloud: TestCloud, Status: 'Enabled' | 'Suspended') =>
      cloud.s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
    const write = async (cloud: TestCloud, Body: string) =>
      (await cloud.s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body }))).VersionId
    const versions = async (cloud: TestCloud) => {
      const { Versions = [], DeleteMarkers = [] } = await cloud.s3.send(new ListObjectVersionsCommand({ Bucket }))
      return [Versions, DeleteMarkers].map((some) => some.map(({ VersionId, IsLatest }) => [VersionId, IsLatest]))
    }
    const remove = (cloud: TestCloud, VersionId?: string) =>
      cloud.s3.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId }))

    test('keeps earlier versions until each is deleted', async () => {
      await using cloud = await startWithBucket()
      expect(await write(cloud, 'before')).toBeUndefined()
      await keep(cloud, 'Enabled')
      const first = await write(cloud, 'first')
      const second = await write(cloud, 'second')
      expect(new Set([first, second, undefined]).size).toBe(3)
      expect(await versions(cloud)).toEqual([
        [
          [second, true],
          [first, false],
          ['null', false],
        ],
        [],
      ])
      expect(await version(cloud)).toMatchObject({ text: 'second', VersionId: second })
      expect(await version(cloud, 'null')).toMatchObject({ text: 'before', VersionId: 'null' })

      const { DeleteMarker, VersionId: marker } = await remove(cloud)
      expect(DeleteMarker).toBe(true)
      await expect(version(cloud)).rejects.toMatchObject({ name: 'NoSuchKey' })
      await expect(version(cloud, marker)).rejects.toMatchObject({ name: 'MethodNotAllowed' })
      await expect(version(cloud, 'x'.repeat(32))).rejects.toMatchObject({ name: 'NoSuchVersion' })
      expect((await list(cloud)).keys).toEqual([])
      expect((await version(cloud, first)).text).toBe('first')
      await expect(cloud.s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'BucketNotEmpty' })

      expect(await remove(cloud, marker)).toMatchObject({ DeleteMarker: true, VersionId: marker })
      expect((await version(cloud)).text).toBe('second')
      await remove(cloud, second)
      expect(await version(cloud)).toMatchObject({ text: 'first', VersionId: first })
      await remove(cloud, first)
      await remove(cloud, 'null')
      expect(await versions(cloud)).toEqual([[], []])
      await cloud.s3.send(new DeleteBucketCommand({ Bucket }))
    })

    test('stores a single null version while it is suspended', async () => {
      await using cloud = await startWithBucket()
      await keep(cloud, 'Enabled')
      const named = await write(cloud, 'named')
      await keep(cloud, 'Suspended')
      expect(await write(cloud, 'one')).toBe('null')
      await write(cloud, 'two')
      expect(await versions(cloud)).toEqual([
        [
          ['null', true],
          [named, false],
        ],
        [],
      ])
      expect(await remove(cloud)).toMatchObject({ DeleteMarker: true, VersionId: 'null' })
      expect(await versions(cloud)).toEqual([[[named, false]], [['null', true]]])
    })

    test('lists versions in pages, newest first', async () => {
      await using cloud = await startWithBucket()
      await keep(cloud, 'Enabled')
      const ids = [await write(cloud, '1'), await write(cloud, '2'), await write(cloud, '3')].reverse()
      await put(cloud, 'b')
      const page = (more: object) => cloud.s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, ...more }))
      const first = await page({})
      expect(first.Versions?.map(({ VersionId }) => VersionId)).toEqual(ids.slice(0, 2))
      const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = first
      const second = await page({ KeyMarker, VersionIdMarker })
      expect(second.Versions?.map(({ Key }) => Key)).toEqual(['a', 'b'])
      expect([second.Versions?.[0]?.VersionId, second.IsTruncated]).toEqual([ids[2], false])
    })
  })

  test('copies objects', async () => {
    await using cloud = await startWithBucket()
    await put(cloud, 'a b')
    await cloud.s3.send(
      new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${encodeURIComponent('a b')}` }),
    )
    const found = await cloud.s3.send(new GetObjectCommand({ Bucket, Key: 'copy' }))
    expect(await found.Body?.transformToString()).toBe('a b')
  })

  test('reports missing objects and buckets', async () => {
    await using cloud = await startWithBucket()
    const asked = { Bucket, Key: 'none' }
    await expect(cloud.s3.send(new GetObjectCommand(asked))).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(cloud.s3.send(new HeadObjectCommand(asked))).rejects.toMatchObject({ name: 'NotFound' })
    await expect(list(cloud, { Bucket: 'none' })).rejects.toMatchObject({ name: 'NoSuchBucket' })
  })

  test('restricts a bucket to its account and region', async () => {
    await using cloud = await startWithBucket()
    const { s3, control, settings } = cloud
    expect((await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual([Bucket])
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBe('eu-west-1')
    expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe('eu-west-1')
    const elsewhere = new S3Client({ ...settings, region: 'eu-north-1' })
    await expect(elsewhere.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject({
      name: 'AuthorizationHeaderMalformed',
    })
    elsewhere.destroy()
    await put(cloud, 'a')
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'BucketNotEmpty' })
    await control.addFault({ kind: 'throttle', service: 's3', times: 1 })
    await expect(list(cloud)).rejects.toMatchObject({ name: 'SlowDown' })
  })

  test('stores settings and returns defaults for unset ones', async () => {
    await using cloud = await startWithBucket()
    const get = () => cloud.s3.send(new GetBucketCorsCommand({ Bucket }))
    await expect(get()).rejects.toMatchObject({ name: 'NoSuchCORSConfiguration' })
    const CORSRules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['https://a.example'] }]
    await cloud.s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
    expect((await get()).CORSRules).toEqual(CORSRules)
  })
})
