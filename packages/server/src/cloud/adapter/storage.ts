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
import type { ObservedFiles } from '../facts/static.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Maximum number of pages, of 1,000 files each, that go into a directory's digest. */
const maxPages = 20

/**
 * Reports whether a directory of a bucket has files, with a digest of their names and ETags to detect changes.
 * Directories of more than 20,000 files have no digest.
 */
export async function readFiles(s3: S3Client, bucket: string, prefix: string): Promise<ObservedFiles> {
  const hash = createHash('sha256')
  let hasFiles = false
  let ContinuationToken: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/`, ...present({ ContinuationToken }) })
    const { Contents = [], NextContinuationToken } = await callCloud(() => s3.send(list))
    hasFiles ||= Contents.length > 0
    for (const { Key = '', ETag = '' } of Contents) hash.update(`${JSON.stringify([Key, ETag])}\n`)
    ContinuationToken = NextContinuationToken
    if (ContinuationToken === undefined) return { hasFiles, contentDigest: `sha256:${hash.digest('hex')}` }
  }
  return { hasFiles }
}

/** Counts the objects in a directory of a bucket, up to 1,000. */
export async function countFiles(s3: S3Client, bucket: string, prefix: string): Promise<number> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` })
  return (await callCloud(() => s3.send(list))).KeyCount ?? 0
}

/** Deletes up to 1,000 objects of a directory. Returns how many, and whether the directory is then empty. */
export async function deletePage(
  s3: S3Client,
  bucket: string,
  prefix: string,
  beforeSend: () => void,
): Promise<{ objectCount: number; isEmpty: boolean }> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` })
  const { Contents = [], IsTruncated = false } = await callCloud(() => s3.send(list))
  if (Contents.length === 0) return { objectCount: 0, isEmpty: true }
  beforeSend()
  const Objects = Contents.map(({ Key }) => ({ Key }))
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })
  const { Errors = [] } = await callCloud(() => s3.send(command), 'DeleteObjects')
  expectNone(Errors)
  return { objectCount: Contents.length, isEmpty: !IsTruncated }
}

/** Selection of objects in a bucket, by key prefix and a predicate on the key. */
export type ObjectSelection = { bucket: string; prefix: string; isOwn: (key: string) => boolean }

/**
 * Deletes all versions of the selected objects and yields the number deleted after each page. A missing bucket counts
 * as empty.
 */
export async function* deleteVersions(
  s3: S3Client,
  { bucket: Bucket, prefix, isOwn }: ObjectSelection,
  beforeSend: () => void,
): AsyncGenerator<number> {
  let from: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | undefined = {}
  while (from) {
    const page = await versionsFrom(s3, { Bucket, Prefix: prefix, ...from })
    const Objects = page.versions.filter(({ Key }) => isOwn(Key))
    if (Objects.length > 0) {
      beforeSend()
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
      const { Errors = [] } = await callCloud(() => s3.send(command), 'DeleteObjects')
      yield Objects.length - Errors.length
      expectNone(Errors)
    }
    from = page.next
  }
}

async function versionsFrom(s3: S3Client, input: ListObjectVersionsCommandInput) {
  const page = await callCloud(() => s3.send(new ListObjectVersionsCommand(input))).catch(unlessGone)
  const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page ?? {}
  const versions = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }))
  return {
    versions,
    next: IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined,
  }
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof CloudPermanentError && error.reason === 'NoSuchBucket')) throw error
}

/** Throws the first error of a bulk deletion, whose response is a success even if single objects failed. */
function expectNone([first]: readonly _Error[]): void {
  if (first) throw new CloudPermanentError(first.Code ?? 'Unknown', `${first.Key} cannot be deleted: ${first.Message}`)
}
