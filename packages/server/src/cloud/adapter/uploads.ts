import { ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { callCloud } from './cloud-call.ts'

export type StoredObject = { key: string; sizeBytes: number }

/** Lists all objects whose keys start with the prefix. */
export async function listObjects(s3: S3Client, bucket: string, prefix: string): Promise<StoredObject[]> {
  const objects: StoredObject[] = []
  for (let token: string | undefined; ; ) {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token })
    const { Contents = [], NextContinuationToken } = await callCloud(() => s3.send(list))
    objects.push(...Contents.map(({ Key = '', Size = 0 }) => ({ key: Key, sizeBytes: Size })))
    if (NextContinuationToken === undefined) return objects
    token = NextContinuationToken
  }
}

/** Exact object that a presigned upload may store, including its SHA-256. */
export type Upload = { bucket: string; key: string; sha256: string; contentType: string; cacheControl?: string }

/** Request with the headers that the uploader must send. */
export type SignedRequest = { url: string; headers: Record<string, string> }

type HttpRequest = {
  protocol: string
  hostname: string
  port?: number
  path: string
  query: Record<string, string>
  headers: Record<string, string>
}

/** Headers that HTTP clients set themselves and that are therefore not signed. */
const sendersOwn = ['host', 'user-agent']

/**
 * Presigns an upload that is valid for 15 minutes. The uploader needs no credentials, and S3 rejects any other content.
 */
export async function signUpload(s3: S3Client, upload: Upload): Promise<SignedRequest> {
  const { bucket, key, sha256, contentType, cacheControl } = upload
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    ContentType: contentType,
    CacheControl: cacheControl,
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
  })
  let signed: HttpRequest | undefined
  command.middlewareStack.add(
    (next) => (args) => {
      ;(args.request as HttpRequest).headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { name: 'signGivenContent', step: 'build', priority: 'low' },
  )
  command.middlewareStack.addRelativeTo(
    () => async (args: { request: unknown }) => {
      signed = args.request as HttpRequest
      return { response: undefined, output: { $metadata: {} } } // ends the request after signing
    },
    { name: 'keepSigned', relation: 'after', toMiddleware: 'httpSigningMiddleware' },
  )
  await callCloud(() => s3.send(command))
  if (!signed) throw new Error('the request was not signed')
  const { protocol, hostname, port, path, query, headers } = signed
  return {
    url: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}?${new URLSearchParams(query)}`,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !sendersOwn.includes(name))),
  }
}
