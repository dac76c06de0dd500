import { refusals } from '@sluice/contract'
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
  'strangers send %s no more than a form',
  async (path) => {
    const { status, body } = await post(path, JSON.stringify({ data: { email: 'a'.repeat(16 * 1024) } }))
    expect({ status, code: body.code }).toEqual({ status: 413, code: refusals.bodyTooLarge.code })
  },
)

test('what is wrong with a hostile body is told in less than it sent', async () => {
  const hostile = JSON.stringify({ data: Array.from({ length: 49_000 }, () => '\0') })
  const { status, body } = await post('/projects', hostile, key)
  expect(status).toBe(400)
  expect(JSON.stringify(body).length).toBeLessThan(200_000)
})

test('names of any length are cut where they are told', async () => {
  const { body } = await post('/projects', JSON.stringify({ data: { ['x'.repeat(100_000)]: 1 } }), key)
  expect(JSON.stringify(body).length).toBeLessThan(5_000)
})

test('of a body with too many values it is not told which are wrong', async () => {
  const data = Object.fromEntries(Array.from({ length: 45_000 }, (_, index) => [`k${index}`, 1]))
  const { status, body } = await post('/projects', JSON.stringify({ data }), key)
  expect({ status, details: body.details }).toEqual({
    status: 400,
    details: [expect.objectContaining({ items: [expect.stringContaining('too many to say which')] })],
  })
})

test.each([`[${'1,'.repeat(50_001)}1]`, `${'['.repeat(50_001)}${']'.repeat(50_001)}`])(
  'no body has more values than are read in a moment',
  async (hostile) => {
    const { status, body } = await post('/projects', hostile, key)
    expect({ status, code: body.code }).toEqual({ status: 413, code: refusals.bodyTooLarge.code })
  },
)

test('no body is nested deeper than it is walked', async () => {
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
