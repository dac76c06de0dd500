import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

const mebibyte = 1024 * 1024
const Bucket = 'parts'
let cloud: TestCloud
/** Client without default checksums, like older SDKs. */
let plain: S3Client

beforeAll(async () => {
  cloud = await startCloud()
  plain = new S3Client({ ...cloud.settings, requestChecksumCalculation: 'WHEN_REQUIRED' })
  const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' as const }
  await cloud.s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
})
afterAll(async () => {
  plain?.destroy()
  await cloud?.[Symbol.asyncDispose]()
})

const filled = (size: number, byte: string) => Buffer.alloc(size, byte)

async function begin(
  Key: string,
  { s3 = plain, ...more }: { s3?: S3Client; ContentType?: string; ChecksumAlgorithm?: 'CRC32' } = {},
) {
  const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))
  const named = { Bucket, Key, UploadId }
  const send = async (PartNumber: number, Body: Buffer): Promise<CompletedPart> => {
    const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand({ ...named, PartNumber, Body }))
    return { PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) }
  }
  const complete = (Parts: CompletedPart[], IfNoneMatch?: string) =>
    s3.send(new CompleteMultipartUploadCommand({ ...named, MultipartUpload: { Parts }, IfNoneMatch }))
  return { named, send, complete }
}

test('a multipart object has an ETag derived from its parts and can be read whole or in ranges', async () => {
  const { named, send, complete } = await begin('site/large', { ContentType: 'text/plain' })
  const last = await send(7, Buffer.from('end'))
  const first = await send(2, filled(5 * mebibyte, 'a'))
  await send(9, Buffer.from('not named'))
  const { Uploads } = await plain.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'site/' }))
  expect(Uploads).toMatchObject([{ Key: 'site/large', UploadId: named.UploadId }])
  const { Parts, IsTruncated } = await plain.send(new ListPartsCommand({ ...named, MaxParts: 2 }))
  expect([Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]), IsTruncated]).toEqual([
    [
      [2, 5 * mebibyte],
      [7, 3],
    ],
    true,
  ])
  expect((await complete([first, last])).ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
  const { ContentLength, ContentType } = await plain.send(new HeadObjectCommand({ Bucket, Key: 'site/large' }))
  expect([ContentLength, ContentType]).toEqual([5 * mebibyte + 3, 'text/plain'])
  const range = async (Range: string) => {
    const { Body, ContentRange } = await plain.send(new GetObjectCommand({ Bucket, Key: 'site/large', Range }))
    return [await Body?.transformToString(), ContentRange]
  }
  const size = 5 * mebibyte + 3
  expect(await range('bytes=-4')).toEqual(['aend', `bytes ${size - 4}-${size - 1}/${size}`])
  expect(await range('bytes=0-1')).toEqual(['aa', `bytes 0-1/${size}`])
  await expect(range(`bytes=${size}-`)).rejects.toMatchObject({ name: 'InvalidRange' })
  await expect(plain.send(new ListPartsCommand(named))).rejects.toMatchObject({ name: 'NoSuchUpload' })
})

test('the ETag equals that of AWS', async () => {
  const { send, complete } = await begin('known')
  // md5(md5("a" * 5 MiB) + md5("b"))
  const parts = [await send(1, filled(5 * mebibyte, 'a')), await send(2, Buffer.from('b'))]
  expect((await complete(parts)).ETag).toBe('"e5a8c5272b26fc10581a21089559b006-2"')
})

test('an upload with checksums gets a composite checksum', async () => {
  const { send, complete } = await begin('checked', { s3: cloud.s3, ChecksumAlgorithm: 'CRC32' })
  const parts = [await send(1, filled(5 * mebibyte, 'a')), await send(2, Buffer.from('b'))]
  const without = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
  await expect(complete(without)).rejects.toMatchObject({ name: 'InvalidRequest' })
  expect(await complete(parts)).toMatchObject({
    ChecksumCRC32: expect.stringMatching(/-2$/),
    ChecksumType: 'COMPOSITE',
  })
  const { Body } = await cloud.s3.send(new GetObjectCommand({ Bucket, Key: 'checked' }))
  expect((await Body?.transformToByteArray())?.length).toBe(5 * mebibyte + 1)
})

test.for([
  ['a part that is too small, but for the last', 'EntityTooSmall', [1, 2]],
  ['parts out of order', 'InvalidPartOrder', [2, 1]],
  ['a part that is not there', 'InvalidPart', [1, 3]],
  ['no part', 'MalformedXML', []],
] as const)('an upload is not completed with %s: %s', async ([, name, numbers]) => {
  const { send, complete } = await begin('refused')
  const sent = [await send(1, Buffer.from('a')), await send(2, Buffer.from('b'))]
  const parts = numbers.map((number) => sent[number - 1] ?? { PartNumber: number, ETag: 'none' })
  await expect(complete(parts)).rejects.toMatchObject({ name })
  await expect(complete([{ PartNumber: 1, ETag: 'another' }])).rejects.toMatchObject({ name: 'InvalidPart' })
})

test('an upload that requires a new object is rejected if one exists', async () => {
  const once = async () => {
    const { send, complete } = await begin('new')
    return complete([await send(1, Buffer.from('a'))], '*')
  }
  await once()
  await expect(once()).rejects.toMatchObject({ name: 'PreconditionFailed' })
})

test('an aborted upload leaves nothing and accepts no more parts', async () => {
  const { named, send } = await begin('given-up')
  await send(1, Buffer.from('a'))
  await expect(send(10_001, Buffer.from('a'))).rejects.toMatchObject({ name: 'InvalidArgument' })
  await plain.send(new AbortMultipartUploadCommand(named))
  await expect(send(2, Buffer.from('b'))).rejects.toMatchObject({ name: 'NoSuchUpload' })
  await expect(plain.send(new AbortMultipartUploadCommand(named))).rejects.toMatchObject({ name: 'NoSuchUpload' })
  const { KeyCount } = await plain.send(new ListObjectsV2Command({ Bucket, Prefix: 'given-up' }))
  expect(KeyCount).toBe(0)
})
