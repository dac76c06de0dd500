import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

const friend = 'https://console.example.com'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let closed: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let path: string

beforeAll(async () => {
  world = await startHttpWorld(() => {}, { corsOrigins: [friend] })
  closed = await startHttpWorld()
  owner = await seedOrganization(world.db)
  const [id] = await seedInstances(world.db, owner.organizationId, 50)
  path = `/module-instances/${id}`
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
})

describe('ETag', () => {
  const get = (ifNoneMatch?: string, method = 'GET') =>
    world.ask(path, {
      method,
      key: owner.key,
      headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch },
    })

  test('a matching If-None-Match gets 304 without a body', async () => {
    const { headers } = await get()
    const tag = headers.get('etag') ?? ''
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/)
    for (const names of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
      const again = await get(names)
      expect(again.status).toBe(304)
      expect(again.body).toBe(undefined)
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.get('x-request-id')).toMatch(/^req_/)
    }
  })

  test(
    'another If-None-Match gets the full response',
    everyCase(['"other"', 'W/""', 'nonsense', ''], async (names) => {
      expect((await get(names)).status).toBe(200)
    }),
  )

  test('changes with the resource', async () => {
    const before = (await get()).headers.get('etag') ?? ''
    const { status } = await world.ask(path, {
      key: owner.key,
      method: 'PATCH',
      body: JSON.stringify({ data: { name: 'Renamed' } }),
      headers: { 'content-type': 'application/json' },
    })
    expect(status).toBe(200)
    const { status: again, headers } = await get(before)
    expect(again).toBe(200)
    expect(headers.get('etag')).not.toBe(before)
  })

  test('is also sent for HEAD', async () => {
    const { headers } = await get()
    expect((await get(undefined, 'HEAD')).headers.get('etag')).toBe(headers.get('etag'))
  })

  test('is absent from errors and lists', async () => {
    for (const place of ['/module-instances/mi_nobody', '/module-instances']) {
      expect((await world.ask(place, { key: owner.key, headers: { 'if-none-match': '*' } })).headers.get('etag')).toBe(
        null,
      )
    }
  })
})

describe('compression', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['gzip, br;q=0.5', gunzipSync],
  ])('a page is compressed for Accept-Encoding: %s', async (accepted, unpack) => {
    const { headers, bytes } = await raw('/module-instances?limit=50', accepted)
    expect(headers['content-encoding']).toBe(accepted.split(',')[0])
    expect(headers.vary).toContain('accept-encoding')
    const text = unpack(bytes).toString()
    expect(JSON.parse(text).data).toHaveLength(50)
    expect(bytes.length).toBeLessThan(text.length / 4)
  })

  test.each(['', 'identity', 'compress'])('a page is not compressed for Accept-Encoding: %j', async (accepted) => {
    const { headers, bytes } = await raw('/module-instances?limit=50', accepted)
    expect(headers['content-encoding']).toBe(undefined)
    expect(JSON.parse(bytes.toString()).data).toHaveLength(50)
  })

  test('a compressed request body is rejected', async () => {
    const { status } = await world.ask('/projects', {
      key: owner.key,
      method: 'POST',
      body: Buffer.from([0x1f, 0x8b, 8, 0]),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    expect(status).toBe(400)
  })
})

describe('cross-origin requests', () => {
  const preflight = (at: typeof world, origin: string) =>
    at.ask('/module-instances', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })

  test('are rejected if no origin is configured', async () => {
    const { status, headers } = await preflight(closed, friend)
    expect(status).toBe(405)
    expect(headers.get('access-control-allow-origin')).toBe(null)
  })

  test('are allowed from a configured origin, without cookies', async () => {
    const { status, headers } = await preflight(world, friend)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(friend)
    expect(headers.get('access-control-allow-headers')).toContain('authorization')
    expect(headers.get('access-control-allow-credentials')).toBe(null)
    const { headers: answered } = await world.ask(path, { key: owner.key, headers: { origin: friend } })
    expect(answered.get('access-control-allow-origin')).toBe(friend)
    expect(answered.get('access-control-expose-headers')).toContain('x-request-id')
  })

  test('are not allowed from another origin', async () => {
    const { headers } = await preflight(world, 'https://evil.example')
    expect(headers.get('access-control-allow-origin')).toBe(null)
  })
})

test.each(['/auth/whoami', '/nope', '/openapi.json'])('the response of %s has the security headers', async (place) => {
  const { headers } = await world.ask(place, { key: owner.key })
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('cache-control')).toMatch(/no-store|private, no-cache/)
})

/** Sends a request without `fetch`, which would decompress the response. */
async function raw(place: string, accepted: string) {
  const headers = { authorization: `Bearer ${owner.key}`, 'accept-encoding': accepted }
  const asked = httpRequest(world.url + place, { headers }).end()
  const [response] = await once(asked, 'response')
  const chunks: Buffer[] = await response.toArray()
  return { headers: response.headers, bytes: Buffer.concat(chunks) }
}
