import { apiErrors, type CodeSource, type RepositoryContent } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../adapter/fakes/settings.fixture.ts'
import { githostaInstallations } from '../githosta-installations/tables.ts'
import { githostbConnections } from '../githostb-connections/tables.ts'
import { sealTokens } from '../githostb-connections/tokens.ts'

let a: FakeGitHostA
let b: FakeGitHostB
let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let installationId: string

const installation = 4711
let next = 1

beforeAll(async () => {
  ;[a, b] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  world = await startHttpWorld(undefined, { git: { ...settingsOfFakes(a, b), SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
  a.installations.set(installation, { login: 'acme', id: 70, type: 'Organization' })
})
/** A separate organization per test, because responses are cached. */
beforeEach(async () => {
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  installationId = await claimed(owner)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close()])
})

async function claimed({ organizationId, membershipId }: SeededOrganization): Promise<string> {
  const id = newId('gha')
  const claim = { githostaInstallationId: String(installation), accountName: 'acme', claimedById: membershipId }
  await world.db.insert(githostaInstallations).values({ id, organizationId, ...claim })
  return id
}

async function connectedAs(userId: number): Promise<string> {
  const host = world.gitParts.hosts.b(b.url)
  const wish = { callbackUrl: 'https://sluice.example/', verifier: 'v'.repeat(43) }
  const code = b.agree(host.authorizeUrl(b.client.clientId, { ...wish, state: 's' }), userId)
  const granted = await host.exchange(b.client, { ...wish, code })
  const id = newId('ghb')
  const place = { organizationId: owner.organizationId, baseUrl: b.url, hostUserId: String(userId) }
  await world.db.insert(githostbConnections).values({
    id,
    ...place,
    userName: `user-${userId}`,
    connectedById: owner.membershipId,
    sealedTokens: sealTokens(world.gitParts.gitSeal, place, granted),
    expiresAt: granted.expiresAt,
  })
  return id
}

type RepositoryAtA = FakeGitHostA['repositories'][number]

function repositoryAtA(change: Partial<RepositoryAtA> = {}): RepositoryAtA {
  const id = next++
  const made = { id, name: `acme/web-${id}`, isPrivate: true, branches: ['main'], installations: [installation] }
  const repository = { ...made, ...change }
  a.repositories.push(repository)
  return repository
}

const connected = ({ name }: RepositoryAtA) =>
  client.done<CodeSource>('POST', '/code-sources', {
    data: {
      type: 'GITHOSTA',
      repoUrl: `https://${new URL(a.url).host}/${name}`,
      githostaInstallationId: String(installation),
    },
  })

type List = { data: { name?: string; repoName?: string }[]; meta: Record<string, unknown> }
const list = async (path: string) => (await client.ask('GET', path)).body as List
const names = ({ data }: List) => data.map(({ name, repoName }) => name ?? repoName)

describe('the repositories of an installation', () => {
  test('are found by a part of their name, paged, and fetched once', async () => {
    for (const name of ['zoo/Shop-10', 'zoo/shop-9', 'zoo/Shop-1', 'zoo/other']) repositoryAtA({ name })
    const path = `/githosta-installations/${installationId}/repositories?search=SHOP-&limit=2`
    const first = await list(path)
    expect(names(first)).toEqual(['zoo/Shop-1', 'zoo/shop-9'])
    expect(first.meta).toMatchObject({ totalCount: 3, isComplete: true })
    const asked = a.requests.length
    const second = await list(`${path}&cursor=${first.meta.nextCursor}`)
    expect(names(second)).toEqual(['zoo/Shop-10'])
    expect(second.meta.nextCursor).toBe('')
    expect(a.requests).toHaveLength(asked)
    expect(await client.ask('GET', `${path.replace('SHOP', 'o')}&cursor=${first.meta.nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: apiErrors.cursorInvalid.code },
    })
  })

  test('are not visible to other organizations', async () => {
    const other = await seedOrganization(world.db)
    const answer = await new Client(world.url, other.key).ask(
      'GET',
      `/githosta-installations/${installationId}/repositories`,
    )
    expect(answer).toMatchObject({ status: 404, body: { code: apiErrors.githostaInstallationNotFound.code } })
  })

  test('are reported as inaccessible once the app is uninstalled', async () => {
    a.installations.delete(installation)
    const answer = await client.ask('GET', `/githosta-installations/${installationId}/repositories`)
    a.installations.set(installation, { login: 'acme', id: 70, type: 'Organization' })
    expect(answer).toMatchObject({ status: 422, body: { code: apiErrors.repositoryUnreadable.code } })
  })
})

test('a connection lists the projects of its person', async () => {
  b.projects.push({ id: 900, name: 'acme/mine', visibility: 'private', branches: ['main'], members: [31] })
  b.projects.push({ id: 901, name: 'acme/theirs', visibility: 'public', branches: ['main'], members: [32] })
  const id = await connectedAs(31)
  const found = await list(`/githostb-connections/${id}/repositories`)
  expect(found.data).toEqual([
    { gitRepositoryId: '900', repoName: 'acme/mine', repoUrl: `${b.url}/acme/mine`, defaultBranch: 'main' },
  ])
})

describe('for a connected repository', () => {
  test('branches and tags are listed with their commits, highest tag first', async () => {
    const { id } = await connected(repositoryAtA({ branches: ['main', 'b'], tags: ['v1.9.0', 'v1.10.0', 'v1.2.0'] }))
    expect((await list(`/code-sources/${id}/refs`)).data).toEqual(
      ['b', 'main'].map((name) => ({ name, commit: 'a'.repeat(40) })),
    )
    const first = await list(`/code-sources/${id}/refs?type=TAG&search=V1.&limit=2`)
    expect(names(first)).toEqual(['v1.10.0', 'v1.9.0'])
    const second = await list(`/code-sources/${id}/refs?type=TAG&search=V1.&limit=2&cursor=${first.meta.nextCursor}`)
    expect(names(second)).toEqual(['v1.2.0'])
  })

  test('the commits between two refs are listed', async () => {
    const { id } = await connected(repositoryAtA({ commits: ['v1', 'c1', 'c2', 'release/x'] }))
    const { status, body } = await client.ask('GET', `/code-sources/${id}/commits?from=v1&to=release/x`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ data: [{ id: 'release/x' }, { id: 'c2' }, { id: 'c1' }], meta: { isComplete: true } })
  })

  test('files are returned as text or base64, and directories sorted by name', async () => {
    const tree = { 'a.bin': Buffer.from([0, 255]), 'docs/b.md': 'b — b', 'docs/a.md': '' }
    const { id } = await connected(repositoryAtA({ tree }))
    const at = (path: string) => client.done<RepositoryContent>('GET', `/code-sources/${id}/contents?path=${path}`)
    expect(await at('a.bin')).toEqual({ type: 'FILE', path: 'a.bin', bytes: 2, encoding: 'BASE64', content: 'AP8=' })
    expect(await at('docs/b.md&ref=main')).toMatchObject({ bytes: 7, encoding: 'UTF8', content: 'b — b' })
    expect(await at('docs')).toEqual({
      type: 'DIRECTORY',
      path: 'docs',
      entries: ['a.md', 'b.md'].map((name) => ({ name, path: `docs/${name}`, type: 'FILE' })),
      isComplete: true,
    })
    expect(await client.done('GET', `/code-sources/${id}/contents`)).toMatchObject({ path: '', type: 'DIRECTORY' })
  })

  test('a missing path is distinguished from lost access', async () => {
    const repository = repositoryAtA({ tree: { 'a.md': 'a' }, commits: ['v1'] })
    const { id } = await connected(repository)
    for (const path of ['contents?path=none', 'contents?path=a.md&ref=nowhere', 'commits?from=v1&to=v2']) {
      expect(await client.ask('GET', `/code-sources/${id}/${path}`)).toMatchObject({
        status: 404,
        body: { code: apiErrors.notInRepository.code },
      })
    }
    expect(await client.done('GET', `/code-sources/${id}`)).toMatchObject({ accessLost: false })
    repository.installations.length = 0
    expect(await client.ask('GET', `/code-sources/${id}/contents?path=a.md`)).toMatchObject({
      status: 422,
      body: { code: apiErrors.repositoryUnreadable.code },
    })
    expect(await client.done('GET', `/code-sources/${id}`)).toMatchObject({ accessLost: true })
  })

  test('a file that is too large is reported as such', async () => {
    const { id } = await connected(repositoryAtA({ tree: { large: Buffer.alloc(1_100_000) } }))
    expect(await client.ask('GET', `/code-sources/${id}/contents?path=large`)).toMatchObject({
      status: 422,
      body: { code: apiErrors.repositoryFileTooLarge.code, message: expect.stringContaining('1100000 bytes') },
    })
  })

  test(
    'a path outside of the repository is rejected without a request',
    everyCase(
      [
        'contents?path=../../../user',
        'contents?path=a/./b',
        'contents?path=/a',
        'contents?path=a//b',
        'contents?path=..',
        'contents?path=a&ref=a..b',
        'commits?from=..&to=main',
        'commits?from=a:b&to=main',
        'commits?from=main~1&to=main',
      ],
      async (path) => {
        const { id } = await connected(repositoryAtA())
        const asked = a.requests.length
        expect(await client.ask('GET', `/code-sources/${id}/${path}`)).toMatchObject({ status: 400 })
        expect(a.requests).toHaveLength(asked)
      },
    ),
  )

  test('a rate limit of the host is reported and not cached', async () => {
    const { id } = await connected(repositoryAtA({ tags: ['v1'] }))
    a.order({ on: '/tags', answer: { status: 429, headers: { 'retry-after': '17' }, body: { message: 'slow down' } } })
    const path = `/code-sources/${id}/refs?type=TAG`
    const refused = await client.send('GET', path, {})
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '17'])
    expect(names(await list(path))).toEqual(['v1'])
  })

  test('code requires more than read permission, and unconnected repositories more than the developer role', async () => {
    const { id } = await connected(repositoryAtA({ tree: { 'a.md': 'a' } }))
    const as = async (role: 'VIEWER' | 'DEVELOPER') =>
      new Client(world.url, await addMember(world.db, owner.organizationId, role))
    const [viewer, developer] = await Promise.all([as('VIEWER'), as('DEVELOPER')])
    const statusOf = async (member: Client, path: string) => (await member.ask('GET', path)).status
    expect(await statusOf(viewer, `/code-sources/${id}/refs`)).toBe(200)
    expect(await statusOf(viewer, `/code-sources/${id}/contents?path=a.md`)).toBe(403)
    expect(await statusOf(developer, `/code-sources/${id}/contents?path=a.md`)).toBe(200)
    expect(await statusOf(developer, `/githosta-installations/${installationId}/repositories`)).toBe(403)
  })
})
