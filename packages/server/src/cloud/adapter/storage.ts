import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { ask, CloudRefusal } from './answer.ts'

/** Whether a directory of a bucket holds anything. */
export async function holdsFiles(s3: S3Client, bucket: string, prefix: string): Promise<boolean> {
  const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/`, MaxKeys: 1 })
  const { Contents = [] } = await ask(() => s3.send(list))
  return Contents.length > 0
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
  const [first] = Errors
  // The answer is a success also where single objects could not be deleted.
  if (first) throw new CloudRefusal(first.Code ?? 'Unknown', `${first.Key} cannot be deleted: ${first.Message}`)
  return { objectCount: Contents.length, isEmpty: !IsTruncated }
}
