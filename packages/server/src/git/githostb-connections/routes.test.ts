import { apiErrors, type GitHostLink, type GithostbConnection, type GithostbInstance } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../adapter/fakes/settings.fixture.ts'
import { githostbConnections } from './tables.ts'
import { createConnectionTokens } from './tokens.ts'

let a: FakeGitHostA
let b: FakeGitHostB
let own: FakeGitHostB
let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
/** Session cookie of the owner. */
let cookie: string

beforeAll(async () => {
  ;[a, b, own] = await Promise.all([startFakeGitHostA(), startFakeGitHostB(), startFakeGitHostB()])
  const git = { ...settingsOfFakes(a, b), SLUICE_OUTBOUND_ALLOW: '127.0.0.1' }
  world = await startHttpWorld(undefined, { git })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close(), own?.close()])
})
beforeEach(async () => {
  b.setTokenLife(7_200)
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  cookie = await signIn(world.db, owner)
})

const begin = (data: object = {}) => beginAtHost({ url: world.url, cookie }, '/githostb-connections', data)

async function comeBack(query: Record<string, string>, headers: Record<string, string> = { cookie }) {
  const { status, body, ...answer } = await world.ask(`/git-host-b/callback?${new URLSearchParams(query)}`, {
    redirect: 'manual',
    headers,
  })
  return { status, body, location: answer.headers.get('location') ?? undefined }
}

const stateIn = (url: string) => new URL(url).searchParams.get('state') ?? ''

/** Runs the whole flow: start, authorize at the host, call back. */
async function connect(userId: number, data: object = {}, fake = b): Promise<GithostbConnection> {
  const url = await begin(data)
  expect(await comeBack({ state: stateIn(url), code: fake.agree(url, userId) })).toMatchObject({ status: 302 })
  const all = await client.done<GithostbConnection[]>('GET', '/githostb-connections')
  const made = all.find(({ userName }) => userName === `user-${userId}`)
  if (!made) throw new Error('the connection is not there')
  return made
}

const rowOf = async ({ id }: { id: string }) => {
  const [row] = await world.db.select().from(githostbConnections).where(eq(githostbConnections.id, id))
  if (!row) throw new Error('the connection is gone')
  return row
}

describe('a connection', () => {
  test('is authorized at the host, and the person returns to the starting page', async () => {
    const url = await begin({ returnUrl: '/code-sources?new=1' })
    expect(url).toMatch(new RegExp(`^${b.url}/oauth/authorize\\?`))
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_id: b.client.clientId,
      redirect_uri: `${world.url}/git-host-b/callback`,
      response_type: 'code',
      code_challenge_method: 'S256',
    })
    const answer = await comeBack({ state: stateIn(url), code: b.agree(url, 5) })
    expect(answer).toEqual({ status: 302, body: undefined, location: `${world.url}/code-sources?new=1` })
    const [made, ...others] = await client.done<GithostbConnection[]>('GET', '/githostb-connections')
    expect(others).toEqual([])
    expect(made).toMatchObject({ baseUrl: b.url, userName: 'user-5', accessLost: false })
    expect(await client.done('GET', `/githostb-connections/${made?.id}`)).toEqual(made)
    const { sealedTokens } = await rowOf({ id: made?.id ?? '' })
    for (const token of [...b.accessTokens.keys(), ...b.refreshTokens.keys()]) expect(sealedTokens).not.toContain(token)
    expect(await client.ask('DELETE', `/githostb-connections/${made?.id}`)).toMatchObject({ status: 204 })
    expect(await client.ask('GET', `/githostb-connections/${made?.id}`)).toMatchObject({ status: 404 })
  })

  test('gets new tokens when the same person authorizes again', async () => {
    const first = await connect(6)
    await world.db.update(githostbConnections).set({ accessLost: true }).where(eq(githostbConnections.id, first.id))
    const second = await connect(6)
    expect(second).toMatchObject({ id: first.id, accessLost: false })
  })

  test('is not created when the person denies access or with an invalid code', async () => {
    const denied = { status: 400, body: { code: apiErrors.gitAccessDenied.code } }
    const no = {
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request.',
    }
    expect(await comeBack({ state: stateIn(await begin()), ...no })).toMatchObject(denied)
    expect(await comeBack({ state: stateIn(await begin()), code: 'forged' })).toMatchObject(denied)
    // A code of another flow, whose verifier is not in this state.
    const other = await begin()
    expect(await comeBack({ state: stateIn(await begin()), code: b.agree(other, 5) })).toMatchObject(denied)
    expect(await client.done('GET', '/githostb-connections')).toEqual([])
  })

  test('is not created twice with one state, or with a forged state', async () => {
    const invalid = { status: 400, body: { code: apiErrors.gitStateInvalid.code } }
    const url = await begin()
    expect(await comeBack({ state: stateIn(url), code: b.agree(url, 5) })).toMatchObject({ status: 302 })
    expect(await comeBack({ state: stateIn(url), code: b.agree(url, 5) })).toMatchObject(invalid)
    expect(await comeBack({ state: 'b', code: 'a' })).toMatchObject(invalid)
    for (const query of [{}, { code: 'a' }, { state: '', code: '' }]) {
      expect(await comeBack(query as Record<string, string>)).toMatchObject({
        status: 400,
        body: { code: apiErrors.requestInvalid.code },
      })
    }
  })

  test('started with an API key continues in the console as the same person in the same organization', async () => {
    const data = { returnUrl: '/sources' }
    const { url } = await client.done<GitHostLink>('POST', '/githostb-connections', { data })
    const page = new URL(url)
    expect(`${page.origin}${page.pathname}`).toBe(`${world.url}/console/git-hosts/githostb`)
    const { organizationId, membershipId } = owner
    const returnUrl = `${world.url}/sources`
    expect(Object.fromEntries(page.searchParams)).toEqual({ organizationId, membershipId, returnUrl })
  })

  test('is not created in another person’s browser', async () => {
    const url = await begin()
    const other = await signIn(world.db, await seedOrganization(world.db))
    const answer = await comeBack({ state: stateIn(url), code: b.agree(url, 5) }, { cookie: other })
    expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.gitStateInvalid.code } })
    expect(await client.done('GET', '/githostb-connections')).toEqual([])
  })

  test('does not redirect to a foreign URL', async () => {
    expect(await client.ask('POST', '/githostb-connections', { data: { returnUrl: '//evil.example' } })).toMatchObject({
      status: 400,
      body: { details: [{ items: [expect.stringContaining('$.data.returnUrl: expected a page of')] }] },
    })
  })

  test('reports a host that does not respond', async () => {
    const url = await begin()
    b.order({ on: '/oauth/token', answer: { status: 503 } })
    expect(await comeBack({ state: stateIn(url), code: b.agree(url, 5) })).toMatchObject({
      status: 503,
      body: { code: apiErrors.gitHostUnreachable.code },
    })
  })
})

describe('tokens of a connection', () => {
  /** Returns token access as another process would have it. */
  const tokensOf = (connection: GithostbConnection) => {
    const { gitSeal: seal, hosts } = world.gitParts
    return createConnectionTokens({ ofOrganization: world.ofOrganization, seal, hosts, clock: () => new Date() })({
      organizationId: owner.organizationId,
      id: connection.id,
    })
  }

  test('are refreshed by one of many concurrent users, in any process', async () => {
    b.setTokenLife(60) // below the minimum remaining lifetime
    const connection = await connect(11)
    b.setTokenLife(7_200)
    const before = b.requests.length
    const got = await Promise.all(Array.from({ length: 8 }, () => tokensOf(connection).current()))
    expect(new Set(got).size).toBe(1)
    expect(b.accessTokens.get(got[0] ?? '')).toMatchObject({ userId: 11 })
    expect(b.requests.slice(before).filter(({ path }) => path === '/oauth/token')).toHaveLength(1)
  })

  test('that the host rejects are replaced once', async () => {
    const connection = await connect(12)
    const rejected = await tokensOf(connection).current()
    const got = await Promise.all(Array.from({ length: 4 }, () => tokensOf(connection).insteadOf(rejected)))
    expect(new Set(got).size).toBe(1)
    expect(got[0]).not.toBe(rejected)
  })

  test('that cannot be refreshed mean lost access, until the person authorizes again', async () => {
    const connection = await connect(13)
    const rejected = await tokensOf(connection).current()
    b.refreshTokens.clear()
    await expect(tokensOf(connection).insteadOf(rejected)).rejects.toThrow(/connect again/)
    expect(await rowOf(connection)).toMatchObject({ accessLost: true, renewingUntil: null })
    await connect(13)
    expect(await tokensOf(connection).current()).not.toBe(rejected)
  })

  test('survive transient errors of the host and a process that crashed during the refresh', async () => {
    const connection = await connect(14)
    const rejected = await tokensOf(connection).current()
    b.order({ on: '/oauth/token', answer: { status: 500 } })
    await expect(tokensOf(connection).insteadOf(rejected)).rejects.toThrow(/answered 500/)
    expect(await rowOf(connection)).toMatchObject({ accessLost: false, renewingUntil: null })
    const renewingUntil = new Date(Date.now() + 400)
    await world.db.update(githostbConnections).set({ renewingUntil }).where(eq(githostbConnections.id, connection.id))
    expect(await tokensOf(connection).insteadOf(rejected)).not.toBe(rejected)
    expect(Date.now()).toBeGreaterThanOrEqual(renewingUntil.getTime())
  })
})

describe('a registered instance', () => {
  const register = (data: object) => client.ask('POST', '/githostb-instances', { data })
  const given = () => ({ baseUrl: own.url, ...own.client })

  test('is created, connected to, and deleted when nothing uses it', async () => {
    const { status, body } = await register(given())
    expect(status).toBe(201)
    const { data: instance } = body as { data: GithostbInstance }
    expect(instance).toEqual({
      id: expect.stringMatching(/^ghi_/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      organizationId: owner.organizationId,
      baseUrl: own.url,
      clientId: own.client.clientId,
      callbackUrl: `${world.url}/git-host-b/callback`,
    })
    const connection = await connect(21, { githostbInstanceId: instance.id }, own)
    expect(connection).toMatchObject({ baseUrl: own.url, githostbInstanceId: instance.id })
    const path = `/githostb-instances/${instance.id}`
    expect(await client.ask('DELETE', path)).toMatchObject({
      status: 409,
      body: { details: [{ items: [expect.stringContaining(connection.id)] }] },
    })
    await client.ask('DELETE', `/githostb-connections/${connection.id}`)
    expect(await client.ask('DELETE', path)).toMatchObject({ status: 204 })
    expect(await client.ask('GET', path)).toMatchObject({ status: 404 })
  })

  test('can be registered once', async () => {
    expect(await register(given())).toMatchObject({ status: 201 })
    expect(await register({ ...given(), baseUrl: `${own.url}/` })).toMatchObject({
      status: 409,
      body: { code: apiErrors.githostbInstanceTaken.code },
    })
  })

  test(
    'needs a valid base URL',
    everyCase(
      [
        'git.example.com',
        'https://git.example.com/gitlab',
        'https://git.example.com/?x=1',
        'https://me@git.example.com',
        'ftp://git.example.com',
        'http://git.example.com',
      ],
      async (baseUrl) => {
        expect(await register({ ...given(), baseUrl })).toMatchObject({
          status: 400,
          body: { code: apiErrors.requestInvalid.code },
        })
      },
    ),
  )

  test('cannot be the public host', async () => {
    expect(await register({ ...given(), baseUrl: b.url })).toMatchObject({ status: 400 })
  })

  test('is not reachable in the server’s own network unless the operator allows it', async () => {
    await using strict = await startHttpWorld(undefined, { git: settingsOfFakes(a, b) })
    const there = new Client(strict.url, (await seedOrganization(strict.db)).key)
    const port = new URL(own.url).port
    const before = own.requests.length
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      const data = { type: 'GITHOSTB_SELF_HOSTED', repoUrl: `https://${host}:${port}/acme/web` }
      expect(await there.ask('POST', '/code-sources', { data }), host).toMatchObject({
        status: 422,
        body: { code: apiErrors.repositoryUnreadable.code },
      })
    }
    expect(own.requests).toHaveLength(before)
  })
})

test('a server without an OAuth application reports this', async () => {
  await using bare = await startHttpWorld()
  const there = new Client(bare.url, (await seedOrganization(bare.db)).key)
  expect(await there.ask('POST', '/githostb-connections', { data: {} })).toMatchObject({
    status: 422,
    body: { code: apiErrors.gitHostNotConfigured.code },
  })
})
