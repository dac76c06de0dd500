import { readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import {
  createOutbound,
  OutboundError,
  type OutboundErrorReason,
  type OutboundRequest,
  type SendOutbound,
} from './send.ts'

let port: number
let seen: string[]
const server = createServer(answer)

/** Responses of the test server by path. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  seen.push(request.url ?? '')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url === '/silent') return
  if (request.url?.startsWith('/to?')) {
    return void response.writeHead(307, { location: decodeURIComponent(request.url.slice(4)) }).end()
  }
  if (request.url === '/away') return void response.writeHead(302, { location: '/secret' }).end()
  if (request.url === '/large') return void response.end('x'.repeat(2_000))
  response.writeHead(201, { 'x-two': ['a', 'b'] })
  response.end(
    JSON.stringify({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() }),
  )
}

beforeAll(async () => {
  seen = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function troubleOf(send: SendOutbound, request: Partial<OutboundRequest>): Promise<OutboundErrorReason> {
  try {
    await send({ method: 'GET', url: `http://127.0.0.1:${port}/`, ...request })
  } catch (error) {
    if (error instanceof OutboundError) return error.trouble
    throw error
  }
  throw new Error('it was answered')
}

const local = createOutbound(['127.0.0.0/8', 'localhost'], { timeoutMs: 5_000, maxBytes: 1_000 })

test('a request is sent unchanged and its response is returned', async () => {
  const headers = { 'content-type': 'text/plain', 'X-Token': 't' }
  const sent = await local({ method: 'POST', url: `http://127.0.0.1:${port}/echo`, headers, body: 'grüße' })
  expect(sent).toMatchObject({ status: 201, headers: { 'x-two': 'a, b' } })
  expect(JSON.parse(sent.body)).toMatchObject({
    method: 'POST',
    body: 'grüße',
    headers: { 'content-type': 'text/plain', 'x-token': 't', 'content-length': '7', host: `127.0.0.1:${port}` },
  })
})

test('an allowed host name can resolve to any address', async () => {
  expect(await local({ method: 'GET', url: `http://localhost:${port}/` })).toMatchObject({ status: 201 })
})

test(
  'an address of this host is rejected unless it is allowed',
  everyCase(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost'], async (host) => {
    const before = seen.length
    expect(await troubleOf(createOutbound(), { url: `http://${host}:${port}/` })).toBe('NOT_ALLOWED')
    expect(seen).toHaveLength(before)
  }),
)

test('redirects are not followed by default', async () => {
  const { status, headers } = await local({ method: 'GET', url: `http://127.0.0.1:${port}/away` })
  expect([status, headers.location]).toEqual([302, '/secret'])
  expect(seen).not.toContain('/secret')
})

describe('with redirects enabled', () => {
  const following = createOutbound(['127.0.0.1'], { timeoutMs: 5_000, maxRedirects: 2 })
  const to = (location: string) => `http://127.0.0.1:${port}/to?${encodeURIComponent(location)}`

  test('the same origin gets the unchanged request', async () => {
    const headers = { authorization: 'Bearer secret' }
    const sent = await following({ method: 'POST', url: to('/echo'), headers, body: 'text' })
    expect(JSON.parse(sent.body)).toMatchObject({ method: 'POST', headers, body: 'text' })
  })

  test('another origin gets no credentials and no body', async () => {
    const other = createServer(answer)
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/echo`
    try {
      const headers = { authorization: 'Bearer secret', 'private-token': 'secret', accept: 'application/json' }
      const read = await following({ method: 'GET', url: to(elsewhere), headers })
      expect(read.body).toContain('application/json')
      expect(read.body).not.toContain('secret')
      const written = await following({ method: 'POST', url: to(elsewhere), headers, body: 'secret' })
      expect(written).toMatchObject({ status: 307 })
    } finally {
      other.close()
    }
  })

  test('the address of each redirect is checked', async () => {
    expect(await troubleOf(following, { url: to(`http://[::1]:${port}/secret`) })).toBe('NOT_ALLOWED')
    expect(await troubleOf(following, { url: to('http://169.254.169.254/latest') })).toBe('NOT_ALLOWED')
    expect(seen).not.toContain('/secret')
  })

  test('redirects above the maximum are not followed', async () => {
    expect(await following({ method: 'GET', url: to(to(to('/secret'))) })).toMatchObject({ status: 307 })
    expect(seen).not.toContain('/secret')
  })
})

test('a file is sent with its size', async () => {
  const file = fileURLToPath(import.meta.url)
  const { size: sizeBytes } = await stat(file)
  const large = createOutbound(['127.0.0.1'])
  const sent = await large({ method: 'PUT', url: `http://127.0.0.1:${port}/echo`, body: { file, sizeBytes } })
  const seen = JSON.parse(sent.body)
  expect(seen).toMatchObject({ method: 'PUT', headers: { 'content-length': String(sizeBytes) } })
  expect(seen.body).toBe(await readFile(file, 'utf8'))
})

test('a response that is too large or does not arrive ends the request', async () => {
  expect(await troubleOf(local, { url: `http://127.0.0.1:${port}/large` })).toBe('TOO_LARGE')
  const hasty = createOutbound(['127.0.0.1'], { timeoutMs: 50 })
  expect(await troubleOf(hasty, { url: `http://127.0.0.1:${port}/silent` })).toBe('TIMED_OUT')
  expect(await troubleOf(local, { url: 'http://127.0.0.1:9/' })).toBe('UNREACHABLE')
})

test('a request can be aborted', async () => {
  const controller = new AbortController()
  const sent = local({ method: 'GET', url: `http://127.0.0.1:${port}/silent`, signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(sent).rejects.toThrow('enough')
})

test(
  'an invalid request is rejected',
  everyCase(
    [
      [{ url: 'ftp://example.com/' }, 'URL_INVALID'],
      [{ url: 'example.com' }, 'URL_INVALID'],
      [{ headers: { Host: 'internal' } }, 'HEADER_INVALID'],
    ] as const,
    async (request, trouble) => {
      expect(await troubleOf(local, request)).toBe(trouble)
    },
  ),
)
