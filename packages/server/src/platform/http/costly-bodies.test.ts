import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let key: string
beforeAll(async () => {
  world = await startHttpWorld()
  key = (await seedOrganization(world.db)).key
})
afterAll(() => world?.[Symbol.asyncDispose]())

const post = (path: string, body: string, credential?: string) =>
  world.ask(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    ...(credential !== undefined && { key: credential }),
  })

test.each(['/auth/login', '/auth/register', '/invitations/accept'])(
  'unauthenticated clients cannot send a large body to %s',
  async (path) => {
    const { status, body } = await post(path, JSON.stringify({ data: { email: 'a'.repeat(16 * 1024) } }))
    expect({ status, code: body.code }).toEqual({ status: 413, code: apiErrors.bodyTooLarge.code })
  },
)

test('the error response to a hostile body is bounded', async () => {
  const hostile = JSON.stringify({ data: Array.from({ length: 49_000 }, () => '\0') })
  const { status, body } = await post('/projects', hostile, key)
  expect(status).toBe(400)
  expect(JSON.stringify(body).length).toBeLessThan(200_000)
})

test('long names are truncated in error messages', async () => {
  const { body } = await post('/projects', JSON.stringify({ data: { ['x'.repeat(100_000)]: 1 } }), key)
  expect(JSON.stringify(body).length).toBeLessThan(5_000)
})

test('the error for a body with too many values does not list the invalid ones', async () => {
  const data = Object.fromEntries(Array.from({ length: 45_000 }, (_, index) => [`k${index}`, 1]))
  const { status, body } = await post('/projects', JSON.stringify({ data }), key)
  expect({ status, details: body.details }).toEqual({
    status: 400,
    details: [expect.objectContaining({ items: [expect.stringContaining('too large to list the errors')] })],
  })
})

test.each([`[${'1,'.repeat(50_001)}1]`, `${'['.repeat(50_001)}${']'.repeat(50_001)}`])(
  'a body with too many values to parse quickly is rejected',
  async (hostile) => {
    const { status, body } = await post('/projects', hostile, key)
    expect({ status, code: body.code }).toEqual({ status: 413, code: apiErrors.bodyTooLarge.code })
  },
)

test('a body that is nested too deeply is rejected', async () => {
  const hostile = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  for (const [path, credential] of [
    ['/projects', key],
    ['/runner/hello', world.runnerToken],
  ] as const) {
    const { status, body } = await post(path, hostile, credential)
    expect({ path, status, details: body.details }).toEqual({
      path,
      status: 400,
      details: [expect.objectContaining({ items: ['$: expected at most 128 levels of nesting'] })],
    })
  }
})
