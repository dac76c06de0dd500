import { createHash } from 'node:crypto'
import {
  type _Error,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { present } from '../../platform/present.ts'
import type { FilesSeen } from '../facts/static.ts'
import { ask, CloudRefusal } from './answer.ts'

/** So many pages of a directory, of 1,000 files each, are read to tell it from what it may become. */
const mostPages = 20

/**
 * Whether a directory of a bucket holds anything, and a digest of what: the names of its files and their ETags, which
 * are others wherever one was written again with another content. Of more than 20,000 files there is none.
 */
export async function readFiles(s3: S3Client, bucket: string, prefix: string): Promise<FilesSeen> {
  const hash = createHash('sha256')
  let hasFiles = false
  let ContinuationToken: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/`, ...present({ ContinuationToken }) })
    const { Contents = [], NextContinuationToken } = await ask(() => s3.send(list))
    hasFiles ||= Contents.length > 0
    for (const { Key = '', ETag = '' } of Contents) hash.update(`${JSON.stringify([Key, ETag])}\n`)
    ContinuationToken = NextContinuationToken
    if (ContinuationToken === undefined) return { hasFiles, contentDigest: `sha256:${hash.digest('hex')}` }
  }
  return { hasFiles }
}

/** How many objects a directory of a bucket holds, counted on one page, which has up to 1,000. */
export async function countFiles(s3: S3Client, bucket: string, prefix: string): Promise<number> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` })
  return (await ask(() => s3.send(list))).KeyCount ?? 0
}

/** Deletes up to 1,000 objects of a directory and says how many, and whether it is empty then. */
export async function deletePage(
  s3: S3Client,
  bucket: string,
  prefix: string,
  beforeSend: () => void,
): Promise<{ objectCount: number; isEmpty: boolean }> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` })
  const { Contents = [], IsTruncated = false } = await ask(() => s3.send(list))
  if (Contents.length === 0) return { objectCount: 0, isEmpty: true }
  beforeSend()
  const Objects = Contents.map(({ Key }) => ({ Key }))
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })
  const { Errors = [] } = await ask(() => s3.send(command), 'DeleteObjects')
  expectNone(Errors)
  return { objectCount: Contents.length, isEmpty: !IsTruncated }
}

/** Objects of a bucket by how their keys begin, and which of these are meant. */
export type Meant = { bucket: string; prefix: string; isOwn: (key: string) => boolean }

/**
 * Deletes every version of objects, page by page, so that a bucket with versions keeps nothing of them; says of each
 * page how many versions went. A bucket that is gone has none.
 */
export async function* deleteVersions(
  s3: S3Client,
  { bucket: Bucket, prefix, isOwn }: Meant,
  beforeSend: () => void,
): AsyncGenerator<number> {
  let from: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | undefined = {}
  while (from) {
    const page = await versionsFrom(s3, { Bucket, Prefix: prefix, ...from })
    const Objects = page.versions.filter(({ Key }) => isOwn(Key))
    if (Objects.length > 0) {
      beforeSend()
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
      const { Errors = [] } = await ask(() => s3.send(command), 'DeleteObjects')
      yield Objects.length - Errors.length
      expectNone(Errors)
    }
    from = page.next
  }
}

async function versionsFrom(s3: S3Client, input: ListObjectVersionsCommandInput) {
  const page = await ask(() => s3.send(new ListObjectVersionsCommand(input))).catch(unlessGone)
  const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page ?? {}
  const versions = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }))
  return {
    versions,
    next: IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined,
  }
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof CloudRefusal && error.reason === 'NoSuchBucket')) throw error
}

/** Single objects that could not be deleted are told in an answer that is a success. */
function expectNone([first]: readonly _Error[]): void {
  if (first) throw new CloudRefusal(first.Code ?? 'Unknown', `${first.Key} cannot be deleted: ${first.Message}`)
}
