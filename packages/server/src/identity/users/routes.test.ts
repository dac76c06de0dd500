import { apiErrors, type User } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

const first = 'correct horse battery staple'
const second = 'another long password'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld(undefined, {
    limits: { passwordsByAccount: { failures: 3, withinSeconds: 60 } },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function person() {
  const seeded = await seedOrganization(world.db)
  const email = `${seeded.userId}@example.com`
  const client = new Client(world.url, seeded.key)
  const change = (data: Record<string, unknown>) => client.ask('PATCH', '/users/me', { data })
  const login = (password: string) => client.ask('POST', '/auth/login', { data: { email, password } })
  return { ...seeded, email, client, change, login }
}

const wrong = { status: 422, body: { code: apiErrors.currentPasswordWrong.code } }

test('a user reads and changes their own profile', async () => {
  const { client, userId, email } = await person()
  const me = await client.done<User>('GET', '/users/me')
  expect(me).toEqual({
    id: userId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    email,
    globalRole: 'USER',
    hasPassword: false,
    fullName: 'Ada',
  })
  const names = { fullName: 'Ada Lovelace', shortName: 'Ada' }
  expect(await client.done('PATCH', '/users/me', { data: names })).toMatchObject(names)
  expect(await client.done('PATCH', '/users/me', { data: {} })).toMatchObject(names)
  expect(await client.done('GET', '/auth/whoami')).toMatchObject(names)
})

test(
  'a user cannot change fields of administrators',
  everyCase(
    [
      ['the email', { email: 'eve@example.com' }],
      ['the global role', { globalRole: 'SUPERADMIN' }],
      ['an empty name', { fullName: '' }],
      ['a short password', { password: { new: 'short' } }],
      ['no new password', { password: { current: first } }],
    ],
    async (_what, data) => {
      const { change } = await person()
      expect((await change(data)).status).toBe(400)
    },
  ),
)

test('a first password requires no current one, and every change does', async () => {
  const { client, change, login } = await person()
  expect(await change({ password: { new: first } })).toMatchObject({
    status: 200,
    body: { data: { hasPassword: true } },
  })
  expect((await login(first)).status).toBe(200)
  expect(await change({ password: { new: second } })).toMatchObject(wrong)
  expect(await change({ password: { new: second, current: second } })).toMatchObject(wrong)
  expect((await login(first)).status).toBe(200)
  expect((await change({ password: { new: second, current: first } })).status).toBe(200)
  expect((await login(first)).status).toBe(401)
  expect((await login(second)).status).toBe(200)

  const events = JSON.stringify(await client.done('GET', '/audit-events?action=users.update'))
  expect(events).toContain('isPasswordChanged')
  for (const password of [first, second]) expect(events).not.toContain(password)
})

test('a new password ends the other sessions', async () => {
  const { change, login } = await person()
  await change({ password: { new: first } })
  const cookieOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const [own, other] = [cookieOf(await login(first)), cookieOf(await login(first))]
  const anybody = new Client(world.url, '')
  const changed = await anybody.send('PATCH', '/users/me', {
    json: JSON.stringify({ data: { password: { current: first, new: second } } }),
    headers: { cookie: own, 'x-sluice-csrf': '1' },
  })
  expect(changed.status).toBe(200)
  expect((await anybody.send('GET', '/auth/whoami', { headers: { cookie: own } })).status).toBe(200)
  expect((await anybody.send('GET', '/auth/whoami', { headers: { cookie: other } })).status).toBe(401)
})

test('guesses of the current password are limited like sign-ins', async () => {
  const { change, login } = await person()
  await change({ password: { new: first } })
  for (let round = 0; round < 3; round += 1) {
    expect(await change({ password: { new: second, current: second } })).toMatchObject(wrong)
  }
  expect((await change({ password: { new: second, current: first } })).status).toBe(429)
  expect((await login(first)).status).toBe(429)
})
