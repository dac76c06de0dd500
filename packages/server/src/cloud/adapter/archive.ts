import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { type Archive, ArchiveError, wrapArchiveErrors } from '../../platform/archive/archive.ts'
import { openFolder } from '../../platform/archive/folder.ts'
import type { Config } from '../../platform/config/settings.ts'
import { present } from '../../platform/present.ts'
import { callCloud } from './cloud-call.ts'
import { connectWithinMs, promptAgents } from './prompt-agents.ts'

type ArchiveSettings = Pick<Config, 'archiveDir' | 'archiveBucket' | 'archiveRegion' | 'archiveEndpoint'>

/** Opens the archive that the settings configure, or returns undefined if they configure none. */
export function openArchive(settings: ArchiveSettings): Archive | undefined {
  const { archiveDir, archiveBucket: bucket, archiveRegion: region, archiveEndpoint: endpoint } = settings
  if (archiveDir !== undefined) return openFolder(archiveDir)
  if (bucket === undefined || region === undefined) return undefined
  return openBucket({ bucket, region, endpoint })
}

type BucketSettings = { bucket: string; region: string; endpoint: string | undefined }

/**
 * Opens an archive in an S3 bucket with Sluice's own credentials. All requests are idempotent, so the SDK's retries are
 * safe.
 */
function openBucket({ bucket: Bucket, region, endpoint }: BucketSettings): Archive {
  const s3 = new S3Client({
    region,
    ...present({ endpoint }),
    forcePathStyle: endpoint !== undefined, // a custom endpoint has no host name per bucket
    requestHandler: new NodeHttpHandler({
      connectionTimeout: connectWithinMs,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
      ...promptAgents(20),
    }),
  })
  const place = `the bucket ${Bucket}`
  return {
    place,
    put: (Key, Body) =>
      wrapArchiveErrors(`${Key} cannot be written to ${place}`, async () => {
        await callCloud(() => s3.send(new PutObjectCommand({ Bucket, Key, Body })))
      }),
    get: (Key) =>
      wrapArchiveErrors(`${Key} cannot be read from ${place}`, async () => {
        const { Body } = await callCloud(() => s3.send(new GetObjectCommand({ Bucket, Key })))
        if (!Body) throw new ArchiveError(`${Key} in ${place} is empty`)
        return Buffer.from(await Body.transformToByteArray())
      }),
    remove: (keys) =>
      wrapArchiveErrors(`objects cannot be removed from ${place}`, async () => {
        if (keys.length === 0) return
        const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
        const { Errors: [first] = [] } = await callCloud(() => s3.send(new DeleteObjectsCommand({ Bucket, Delete })))
        if (first) throw new ArchiveError(`${first.Key} cannot be removed from ${place}: ${first.Message}`)
      }),
    close: () => s3.destroy(),
  }
}
