import { type AuditEvent, maxListedViews, maxSavedViews, type Role, type SavedView } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let organizationId: string
beforeAll(async () => {
  world = await startHttpWorld()
  organizationId = (await createOneOfEverything(world.db)).organizationId
})
afterAll(() => world?.[Symbol.asyncDispose]())

const member = async (role: Role = 'VIEWER', organization = organizationId) =>
  new Client(world.url, await addMember(world.db, organization, role))
const view = (name: string, isShared = false, search = 'status=ERROR') => ({ name, search, isShared })
const save = (client: Client, ...views: ReturnType<typeof view>[]) =>
  client.ask('PATCH', '/saved-views', { data: { page: 'DEPLOYMENTS', views } })
const listOf = (client: Client) => client.done<SavedView[]>('GET', '/saved-views')
const namesOf = async (client: Client) => (await listOf(client)).map(({ name }) => name)

test('a viewer saves views for themselves, in their order', async () => {
  const one = await member()
  expect(await save(one, view('Failures'), view('All', false, ''))).toMatchObject({ status: 200 })
  const own = { page: 'DEPLOYMENTS', isShared: false, isOwn: true, createdBy: expect.stringContaining('@') }
  expect((await listOf(one)).slice(0, 2)).toEqual([
    { ...own, name: 'Failures', search: 'status=ERROR' },
    { ...own, name: 'All', search: '' },
  ])
  await save(one, view('All'))
  expect((await namesOf(one))[0]).toBe('All')
  expect(await namesOf(await member())).not.toContain('All')
})

test('other members see shared views after their own, and cannot change them', async () => {
  const [author, reader] = [await member('DEVELOPER'), await member()]
  await save(author, view('Of the team', true), view('Of the author'))
  await save(reader, view('Of the reader'))
  const seen = await listOf(reader)
  expect(seen[0]).toMatchObject({ name: 'Of the reader', isOwn: true })
  expect(seen.find(({ name }) => name === 'Of the team')).toMatchObject({ isOwn: false, isShared: true })
  expect(seen.map(({ name }) => name)).not.toContain('Of the author')
  await save(reader)
  expect(await namesOf(author)).toContain('Of the team')
})

test('another organization sees no shared view', async () => {
  await save(await member(), view('Ours', true))
  const theirs = (await createOneOfEverything(world.db)).organizationId
  expect(await namesOf(await member('OWNER', theirs))).not.toContain('Ours')
})

test('many shared views do not make the list longer than its limit, and own ones come first', async () => {
  const reader = await member()
  await save(reader, view('Zebra'))
  for (let author = 0; author * maxSavedViews < maxListedViews; author++) {
    const shared = Array.from({ length: maxSavedViews }, (_, index) => view(`Shared ${index}`, true))
    await save(await member(), ...shared)
  }
  const names = await namesOf(reader)
  expect(names).toHaveLength(maxListedViews)
  expect(names[0]).toBe('Zebra')
})

test('two views with the same name are rejected without a change', async () => {
  const one = await member()
  await save(one, view('Kept'))
  const answer = await save(one, view('Twice'), view('Twice'))
  expect(answer).toMatchObject(apiErrorOf('requestInvalid'))
  expect(JSON.stringify(answer.body)).toContain('Twice')
  expect((await namesOf(one))[0]).toBe('Kept')
})

test('the audit log has the old and the new views', async () => {
  const one = await member('OWNER')
  await save(one, view('Before'))
  await save(one, view('After', true))
  const { membershipId } = await one.done<{ membershipId: string }>('GET', '/auth/whoami')
  const [event] = await one.done<AuditEvent[]>('GET', `/audit-events?resourceId=${membershipId}&limit=1`)
  expect(event).toMatchObject({
    action: 'saved-views.update',
    details: { page: 'DEPLOYMENTS', views: [view('After', true)] },
    before: { views: [view('Before')] },
  })
})
