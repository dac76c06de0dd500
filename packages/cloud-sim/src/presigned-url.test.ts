import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { region, startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud()
  const CreateBucketConfiguration = { LocationConstraint: region as 'eu-west-1' }
  await cloud.s3.send(new CreateBucketCommand({ Bucket: 'site', CreateBucketConfiguration }))
  await cloud.s3.send(new PutObjectCommand({ Bucket: 'site', Key: 'a b', Body: 'content' }))
})
afterAll(() => cloud[Symbol.asyncDispose]())

interface Presigning {
  method?: string
  path?: string
  query?: Record<string, string>
  expiresIn?: number
  signingDate?: Date
}

interface Presigner {
  presign(request: object, options: object): Promise<{ path: string; query: Record<string, string> }>
}

/** Presigns a URL with the signer of the SDK's own S3 client. */
async function presign({ method = 'GET', path = '/site/a%20b', query = {}, ...times }: Presigning = {}) {
  const authScheme = { name: 'sigv4' as const, signingName: 's3', signingRegion: region, properties: {} }
  const signer = await cloud.s3.config.signer(authScheme)
  const { host, hostname, port } = new URL(cloud.url)
  const unsigned = { protocol: 'http:', hostname, port: Number(port), method, path, query }
  const request = { ...unsigned, headers: { host, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' } }
  const signed = await (signer as unknown as Presigner).presign(request, { signingRegion: region, ...times })
  const url = new URL(signed.path, cloud.url)
  for (const [name, value] of Object.entries(signed.query)) url.searchParams.set(name, value)
  return url
}

async function ask(url: URL, init?: RequestInit) {
  const answer = await fetch(url, init)
  const text = await answer.text()
  const [code, message] = ['Code', 'Message'].map((name) => new RegExp(`<${name}>([^]*)</${name}>`).exec(text)?.[1])
  return { status: answer.status, text, code, message }
}

test('a presigned URL reads an object without credentials', async () => {
  expect(await ask(await presign())).toMatchObject({ status: 200, text: 'content' })
})

test('a presigned URL stores an object with the headers in its query', async () => {
  const query = { 'x-amz-meta-team': 'shop' }
  const url = await presign({ method: 'PUT', path: '/site/new', query })
  expect(await ask(url, { method: 'PUT', body: 'by URL' })).toMatchObject({ status: 200 })
  const found = await cloud.s3.send(new GetObjectCommand({ Bucket: 'site', Key: 'new' }))
  expect(found.Metadata).toEqual({ team: 'shop' })
  expect(await found.Body?.transformToString()).toBe('by URL')
})

const hour = 3_600_000

test('a presigned URL is rejected after its expiry and before its time', async () => {
  const expired = await presign({ signingDate: new Date(Date.now() - hour), expiresIn: 3_599 })
  expect(await ask(expired)).toMatchObject({ status: 403, code: 'AccessDenied', message: 'Request has expired' })
  const lasting = await presign({ signingDate: new Date(Date.now() - hour), expiresIn: 3_700 })
  expect(await ask(lasting)).toMatchObject({ status: 200 })
  const early = await presign({ signingDate: new Date(Date.now() + hour) })
  expect(await ask(early)).toMatchObject({ status: 403, code: 'AccessDenied', message: 'Request is not valid yet' })
})

test(
  'a presigned URL that was changed does not match its signature',
  everyCase(
    [
      ['the signature', (url: URL) => url.searchParams.set('X-Amz-Signature', '0'.repeat(64)), 'GET'],
      ['the expiry', (url: URL) => url.searchParams.set('X-Amz-Expires', '901'), 'GET'],
      ['the key', (url: URL) => Object.assign(url, { pathname: '/site/other' }), 'GET'],
      ['the query', (url: URL) => url.searchParams.set('response-content-type', 'text/html'), 'GET'],
      ['the method', () => undefined, 'DELETE'],
    ] as const,
    async (_, change, method) => {
      const url = await presign()
      change(url)
      expect(await ask(url, { method })).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    },
  ),
)

test(
  'a presigned URL whose parameters are missing or wrong is rejected with the reason',
  everyCase<readonly [name: string, value: string | undefined, message: RegExp]>(
    [
      ...['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires'].map(
        (name) => [`X-Amz-${name}`, undefined, /^Query-string authentication version 4/] as const,
      ),
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA1', /^X-Amz-Algorithm only supports/],
      ['X-Amz-Expires', '604801', /must be less than 604800 seconds$/],
      ['X-Amz-Expires', '-1', /^X-Amz-Expires must be non-negative$/],
      ['X-Amz-Expires', '1e3', /^X-Amz-Expires should be a number$/],
      ['X-Amz-Date', '2026-01-31', /^X-Amz-Date must be in the ISO8601 Long Format/],
      ['X-Amz-Date', '20200131T120000Z', /^Invalid credential date/],
      ['X-Amz-Credential', 'AKIA', /the Credential is mal-formed/],
      ['X-Amz-Credential', 'AKIA/20260131/eu-west-1/sqs/aws4_request', /incorrect service/],
    ] as const,
    async (name, value, message) => {
      const url = await presign()
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
      const error = { status: 400, code: 'AuthorizationQueryParametersError', message: expect.stringMatching(message) }
      expect(await ask(url)).toMatchObject(error)
    },
  ),
)

test('a presigned URL allows no second signature, and no headers of AWS that it does not sign', async () => {
  const authorization = 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-west-1/s3/aws4_request'
  const both = await ask(await presign(), { headers: { authorization } })
  expect(both).toMatchObject({ status: 400, code: 'InvalidArgument' })
  const more = await ask(await presign(), { headers: { 'x-amz-acl': 'private' } })
  expect(more).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(more.message).toMatch(/which were not signed$/)
})
