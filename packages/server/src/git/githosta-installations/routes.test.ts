import { apiErrors, type GitHostLink, type GithostaInstallation } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addServiceAccount } from '../../testing/members.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { type FakeGitHostA, type PersonAtA, startFakeGitHostA } from '../adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../adapter/fakes/settings.fixture.ts'

let a: FakeGitHostA
let b: FakeGitHostB
let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
/** Session cookie of the owner. */
let cookie: string
let aheadMs = 0

beforeAll(async () => {
  ;[a, b] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  const clock = () => new Date(Date.now() + aheadMs)
  const git = settingsOfFakes(a, b)
  world = await startHttpWorld(undefined, {
    git,
    clock,
    corsOrigins: ['https://console.example'],
    registration: 'open',
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close()])
})
beforeEach(async () => {
  aheadMs = 0
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  cookie = await signIn(world.db, owner)
  a.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
})

let codes = 0
/** Creates a person at the host and returns an OAuth code for them. */
function person(change: Partial<PersonAtA> = {}): string {
  const code = `code-${++codes}`
  a.people.set(code, { id: 1, installations: [7], organizations: { acme: 'admin' }, ...change })
  return code
}

async function begin(returnUrl?: string, of = cookie): Promise<string> {
  const data = returnUrl === undefined ? {} : { returnUrl }
  const url = await beginAtHost({ url: world.url, cookie: of }, '/githosta-installations/claim', data)
  expect(url).toMatch(new RegExp(`^${a.url}/apps/sluice-test/installations/new\\?state=`))
  return new URL(url).searchParams.get('state') ?? ''
}

/** Sends the callback request of a browser. */
async function comeBack(query: Record<string, string>, headers: Record<string, string> = { cookie }) {
  const path = `/git-host-a/callback?${new URLSearchParams(query)}`
  const { status, body, ...answer } = await world.ask(path, { redirect: 'manual', headers })
  return { status, body, location: answer.headers.get('location') ?? undefined }
}
const claimed = () => client.done<GithostaInstallation[]>('GET', '/githosta-installations')

describe('an installation', () => {
  test('is claimed by an owner of its account, who returns to the starting page', async () => {
    const state = await begin('/code-sources?new=1')
    const query = { state, code: person(), installation_id: '7', setup_action: 'install' }
    expect(await comeBack(query)).toMatchObject({ status: 302, location: `${world.url}/code-sources?new=1` })
    const [row] = await claimed()
    expect(row).toMatchObject({ githostaInstallationId: '7', accountName: 'acme', accessLost: false })
    expect(await client.ask('DELETE', `/githosta-installations/${row?.id}`)).toMatchObject({ status: 204 })
    expect(await claimed()).toEqual([])
  })

  test('without a code leads to a sign-in first', async () => {
    const first = await comeBack({ state: await begin(), installation_id: '7', setup_action: 'install' })
    expect(first).toMatchObject({ status: 302, location: expect.stringContaining(`${a.url}/login/oauth/authorize?`) })
    const asked = new URL(first.location ?? '').searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: a.app.clientId,
      redirect_uri: `${world.url}/git-host-a/callback`,
    })
    // The id in the state counts, not the one in the second URL.
    const query = { state: asked.get('state') ?? '', code: person(), installation_id: '8' }
    expect(await comeBack(query)).toMatchObject({ status: 302, location: `${world.url}/` })
    expect(await claimed()).toMatchObject([{ githostaInstallationId: '7' }])
  })

  test('is claimed once, and claiming it again changes nothing', async () => {
    for (let times = 0; times < 2; times++) {
      await comeBack({ state: await begin(), code: person(), installation_id: '7' })
    }
    expect(await claimed()).toHaveLength(1)
  })

  test.each([
    ['another tenant, by its id in the address', { installations: [], organizations: {} }, /does not see/],
    [
      'somebody who only reads a repository of it',
      { organizations: { acme: 'member' as const } },
      /not an owner of acme/,
    ],
  ])('is not claimed by %s', async (_, change, why) => {
    const answer = await comeBack({ state: await begin(), code: person(change), installation_id: '7' })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: apiErrors.gitAccessDenied.code, message: expect.stringMatching(why) },
    })
    expect(await claimed()).toEqual([])
  })

  test('is not claimed when the host denies access or nothing was selected', async () => {
    const denied = { code: apiErrors.gitAccessDenied.code }
    const no = {
      state: await begin(),
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
    }
    expect(await comeBack({ ...no, installation_id: '7' })).toMatchObject({ status: 400, body: denied })
    expect(await comeBack({ state: await begin(), code: person() })).toMatchObject({ status: 400, body: denied })
    expect(await claimed()).toEqual([])
  })
})

describe('a state', () => {
  const query = (state: string) => ({ state, code: person(), installation_id: '7' })
  const invalid = { status: 400, body: { code: apiErrors.gitStateInvalid.code } }

  test('works once', async () => {
    const state = await begin()
    expect(
      (await Promise.all([comeBack(query(state)), comeBack(query(state))])).map(({ status }) => status).toSorted(),
    ).toEqual([302, 400])
    expect(await comeBack(query(state))).toMatchObject(invalid)
  })

  test('expires after ten minutes', async () => {
    const [early, late] = [await begin(), await begin()]
    aheadMs = 9.9 * 60_000
    expect(await comeBack(query(early))).toMatchObject({ status: 302 })
    aheadMs = 10.1 * 60_000
    expect(await comeBack(query(late))).toMatchObject(invalid)
  })

  test.each([
    ['made up', async () => 'state'],
    ['changed', async () => (await begin()).replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A'))],
    [
      'of another purpose',
      async () => {
        const url = await beginAtHost({ url: world.url, cookie }, '/githostb-connections')
        return new URL(url).searchParams.get('state') ?? ''
      },
    ],
  ])('that is %s is rejected', async (_, make) => {
    expect(await comeBack(query(await make()))).toMatchObject(invalid)
    expect(await claimed()).toEqual([])
  })

  test('works only in the browser of the person who started, and not with an API key', async () => {
    const other = await signIn(world.db, await seedOrganization(world.db))
    for (const headers of [{}, { cookie: other }, { authorization: `Bearer ${owner.key}` }]) {
      expect(await comeBack(query(await begin()), headers)).toMatchObject(invalid)
    }
    expect(await comeBack(query(await begin()))).toMatchObject({ status: 302 })
  })
})

describe('a flow started with an API key', () => {
  const claim = (by: Client, data = {}) => by.ask('POST', '/githosta-installations/claim', { data })

  test('leads to a page with the person and organization and no data for the host', async () => {
    const data = { returnUrl: '/sources' }
    const { url } = await client.done<GitHostLink>('POST', '/githosta-installations/claim', { data })
    const page = new URL(url)
    expect(`${page.origin}${page.pathname}`).toBe(`${world.url}/console/git-hosts/githosta`)
    const { organizationId, membershipId } = owner
    const returnUrl = `${world.url}/sources`
    expect(Object.fromEntries(page.searchParams)).toEqual({ organizationId, membershipId, returnUrl })
  })

  test('by a service account reports that a person must continue', async () => {
    const account = new Client(world.url, await addServiceAccount(world.db, owner.organizationId, 'ADMIN'))
    const needed = { status: 422, body: { code: apiErrors.gitPersonNeeded.code } }
    expect(await claim(account)).toMatchObject(needed)
  })
})

test(
  'does not redirect to a foreign return URL',
  everyCase(
    [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      'https://console.example.evil.example/',
    ],
    async (returnUrl) => {
      const answer = await client.ask('POST', '/githosta-installations/claim', { data: { returnUrl } })
      expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.requestInvalid.code } })
    },
  ),
)

test('people are redirected to an allowed origin', async () => {
  const state = await begin('https://console.example/sources')
  expect(await comeBack({ state, code: person(), installation_id: '7' })).toMatchObject({
    status: 302,
    location: 'https://console.example/sources',
  })
})

test('a server without an app reports this', async () => {
  await using bare = await startHttpWorld()
  const there = new Client(bare.url, (await seedOrganization(bare.db)).key)
  expect(await there.ask('POST', '/githosta-installations/claim', { data: {} })).toMatchObject({
    status: 422,
    body: { code: apiErrors.gitHostNotConfigured.code },
  })
})
