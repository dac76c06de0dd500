import { apiErrors, type Branch, type CodeSource } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../adapter/fakes/settings.fixture.ts'
import { githostaInstallations } from '../githosta-installations/tables.ts'
import { githostbConnections } from '../githostb-connections/tables.ts'
import { sealTokens } from '../githostb-connections/tokens.ts'
import { githostbInstances, sealedClientSecrets } from '../githostb-instances/tables.ts'
import { credentialFor } from './open.ts'
import { codeSources } from './tables.ts'

let a: FakeGitHostA
let b: FakeGitHostB
let own: FakeGitHostB
let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client

beforeAll(async () => {
  ;[a, b, own] = await Promise.all([startFakeGitHostA(), startFakeGitHostB(), startFakeGitHostB()])
  const git = { ...settingsOfFakes(a, b), SLUICE_OUTBOUND_ALLOW: '127.0.0.1' }
  world = await startHttpWorld(undefined, { git })
  a.installations.set(4711, { login: 'acme', id: 70, type: 'Organization' })
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  await claim(owner)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close(), own?.close()])
})

const claim = ({ organizationId, membershipId }: SeededOrganization) =>
  world.db.insert(githostaInstallations).values({
    id: newId('gha'),
    organizationId,
    githostaInstallationId: '4711',
    accountName: 'acme',
    claimedById: membershipId,
  })

let nextId = 1
/** Creates a GitHub repository that the installation can access. */
function repositoryAtA(name: string, change: Partial<FakeGitHostA['repositories'][number]> = {}) {
  const repository = { id: nextId++, name, isPrivate: true, branches: ['main'], installations: [4711], ...change }
  a.repositories.push(repository)
  return repository
}

/** Creates a GitLab project and a connection of its only member. */
async function projectAtB(fake: FakeGitHostB, name: string, visibility: 'private' | 'public' = 'private') {
  const project = { id: nextId++, name, visibility, branches: ['main', 'a'], members: [nextId++] }
  fake.projects.push(project)
  return project
}

async function connectionTo(fake: FakeGitHostB, userId: number, instanceId: string | null = null): Promise<string> {
  const host = world.gitParts.hosts.b(fake.url)
  const wish = { callbackUrl: 'https://sluice.example/', verifier: 'v'.repeat(43) }
  const code = fake.agree(host.authorizeUrl(fake.client.clientId, { ...wish, state: 's' }), userId)
  const granted = await host.exchange(fake.client, { ...wish, code })
  const id = newId('ghb')
  const place = { organizationId: owner.organizationId, baseUrl: fake.url, hostUserId: String(userId) }
  await world.db.insert(githostbConnections).values({
    id,
    ...place,
    instanceId,
    userName: `user-${userId}`,
    connectedById: owner.membershipId,
    sealedTokens: sealTokens(world.gitParts.gitSeal, place, granted),
    expiresAt: granted.expiresAt,
  })
  return id
}

const hostOf = ({ url }: { url: string }) => new URL(url).host
const given = (name: string) => ({
  type: 'GITHOSTA',
  repoUrl: `https://${hostOf(a)}/acme/${name}`,
  githostaInstallationId: '4711',
})
const connect = (data: object) => client.ask('POST', '/code-sources', { data })
const connected = (data: object) => client.done<CodeSource>('POST', '/code-sources', { data })
const branchesOf = ({ id }: CodeSource) => client.ask('GET', `/code-source/${id}/branches`)

describe('a repository', () => {
  test('is connected, found, listed by type and disconnected', async () => {
    const { id: gitRepositoryId } = repositoryAtA('Acme/Web')
    const answer = await connect({ ...given('web'), repoUrl: `ssh://git@${hostOf(a).split(':')[0]}/Acme/Web.git` })
    // SSH addresses of this form cannot contain the fake's port.
    expect(answer).toMatchObject({ status: 400 })
    const { status, body } = await connect({ ...given('web'), repoUrl: `https://${hostOf(a)}/ACME/Web.git/` })
    expect(status).toBe(201)
    const { data } = body as { data: CodeSource }
    expect(data).toEqual({
      id: expect.stringMatching(/^cs_/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      organizationId: owner.organizationId,
      type: 'GITHOSTA',
      repoUrl: `https://${hostOf(a)}/acme/web`,
      repoName: 'Acme/Web',
      gitRepositoryId: String(gitRepositoryId),
      defaultBranch: 'main',
      visibility: 'PRIVATE',
      accessLost: false,
      auth: { kind: 'installation', githostaInstallationId: '4711' },
    })
    const path = `/code-sources/${data.id}`
    expect(await client.done('GET', path)).toEqual(data)
    expect(await client.done('GET', '/code-sources?type=GITHOSTA')).toContainEqual(data)
    expect(await client.done('GET', '/code-sources?type=GITHOSTB')).not.toContainEqual(data)
    expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
    for (const method of ['GET', 'DELETE']) {
      expect(await client.ask(method, path)).toMatchObject({
        status: 404,
        body: { code: apiErrors.codeSourceNotFound.code },
      })
    }
  })

  test('is connected once, however its address is written, and once per idempotency key', async () => {
    repositoryAtA('acme/twice')
    const request = { json: JSON.stringify({ data: given('twice') }), headers: { 'idempotency-key': 'twice' } }
    const first = await client.send('POST', '/code-sources', request)
    const again = await client.send('POST', '/code-sources', request)
    expect([first.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    for (const ending of ['.git', '/', '.git/']) {
      expect(await connect({ ...given('twice'), repoUrl: `https://${hostOf(a)}/Acme/TWICE${ending}` })).toMatchObject({
        status: 409,
        body: { code: apiErrors.codeSourceTaken.code },
      })
    }
  })

  test('at GitLab is read with a person’s access or anonymously', async () => {
    const { id, members } = await projectAtB(b, 'acme/shop/web')
    await projectAtB(b, 'acme/open', 'public')
    const repoUrl = `https://${hostOf(b)}/acme/shop/web`
    const githostbConnectionId = await connectionTo(b, members[0] ?? 0)
    expect(await connected({ type: 'GITHOSTB', repoUrl, githostbConnectionId })).toMatchObject({
      gitRepositoryId: String(id),
      visibility: 'PRIVATE',
      auth: { kind: 'connection', githostbConnectionId },
    })
    const source = await connected({ type: 'GITHOSTB', repoUrl: `https://${hostOf(b)}/acme/open` })
    expect(source).toMatchObject({ visibility: 'PUBLIC', auth: { kind: 'none' } })
    expect((await branchesOf(source)).body).toEqual({ data: [{ name: 'a' }, { name: 'main' }] })
    expect(await connect({ type: 'GITHOSTB', repoUrl: `https://${hostOf(b)}/acme/hidden` })).toMatchObject({
      status: 422,
      body: { code: apiErrors.repositoryUnreadable.code },
    })
  })

  test('at a self-managed GitLab is read there', async () => {
    const { members } = await projectAtB(own, 'team/web')
    await projectAtB(own, 'team/open', 'public')
    const instanceId = newId('ghi')
    const { clientId, clientSecret } = own.client
    const place = createSealContext(sealedClientSecrets, owner.organizationId, instanceId, own.url)
    const sealedClientSecret = world.gitParts.gitSeal.close(place, clientSecret)
    const instance = {
      id: instanceId,
      organizationId: owner.organizationId,
      baseUrl: own.url,
      clientId,
      sealedClientSecret,
    }
    await world.db.insert(githostbInstances).values(instance)
    const githostbConnectionId = await connectionTo(own, members[0] ?? 0, instanceId)
    const type = 'GITHOSTB_SELF_HOSTED'
    const repoUrl = `https://${hostOf(own)}/team/web`
    const source = await connected({ type, repoUrl, githostbConnectionId })
    expect((await branchesOf(source)).body).toEqual({ data: [{ name: 'a' }, { name: 'main' }] })
    expect(await connected({ type, repoUrl: `https://${hostOf(own)}/team/open` })).toMatchObject({
      auth: { kind: 'none' },
    })
    expect(
      await connect({ type: 'GITHOSTB', repoUrl: `https://${hostOf(b)}/team/web`, githostbConnectionId }),
    ).toMatchObject({
      status: 400,
      body: { details: [{ items: [expect.stringContaining(`expected a connection to ${hostOf(b)}`)] }] },
    })
  })

  test('that is public needs no installation if the request says so', async () => {
    repositoryAtA('acme/open', { isPrivate: false, installations: [] })
    const { githostaInstallationId: _, ...rest } = given('open')
    const source = await connected({ ...rest, auth: { kind: 'none' } })
    expect(source).toMatchObject({ visibility: 'PUBLIC', auth: { kind: 'none' } })
    expect((await branchesOf(source)).status).toBe(200)
  })

  test('is not connected if the host does not return it', async () => {
    expect(await connect(given('nowhere'))).toMatchObject({
      status: 422,
      body: {
        code: apiErrors.repositoryUnreadable.code,
        message: expect.stringContaining('not accessible to the parent installation'),
        action: { url: `https://${hostOf(a)}/acme/nowhere` },
      },
    })
  })

  test('is not accessible through an installation or connection of another organization', async () => {
    repositoryAtA('acme/wanted')
    const stranger = await seedOrganization(world.db)
    const other = new Client(world.url, stranger.key)
    expect(await other.ask('POST', '/code-sources', { data: given('wanted') })).toMatchObject({
      status: 422,
      body: { code: apiErrors.installationNotClaimed.code },
    })
    const { members } = await projectAtB(b, 'acme/wanted')
    const githostbConnectionId = await connectionTo(b, members[0] ?? 0)
    const data = { type: 'GITHOSTB', repoUrl: `https://${hostOf(b)}/acme/wanted`, githostbConnectionId }
    expect(await other.ask('POST', '/code-sources', { data })).toMatchObject({
      status: 422,
      body: { code: apiErrors.referenceNotFound.code, message: expect.stringContaining(githostbConnectionId) },
    })
    // The installation gives no access even with the row in place.
    const repository = { repoUrl: given('wanted').repoUrl, repoName: 'acme/wanted', visibility: 'PRIVATE' } as const
    const auth = { kind: 'installation', githostaInstallationId: '4711' } as const
    const id = newId('cs')
    const row = { id, organizationId: stranger.organizationId, type: 'GITHOSTA', ...repository, auth } as const
    await world.db.insert(codeSources).values(row)
    expect(await other.ask('GET', `/code-source/${id}/branches`)).toMatchObject({ status: 422 })
  })
})

test(
  'an invalid code source is rejected with the expected values',
  everyCase<[string, object, string[]]>(
    [
      ['an address that is none', { repoUrl: 'my repository' }, ['$.data.repoUrl: expected the https or ssh address']],
      [
        'no installation',
        { githostaInstallationId: undefined },
        ['$.data.githostaInstallationId: required, but missing'],
      ],
      ['a connection of the other host', { githostbConnectionId: '1' }, ['$.data.githostbConnectionId: not allowed']],
      [
        'an unknown host',
        { type: 'GITHOSTC' },
        ['$.data.type: expected one of GITHOSTA, GITHOSTB, GITHOSTB_SELF_HOSTED'],
      ],
      ['two ways in', { auth: { kind: 'none' } }, ['$.data.githostaInstallationId: not allowed']],
      [
        'the address and the access of another host',
        { type: 'GITHOSTB' },
        ['$.data.repoUrl: expected', '$.data.githostaInstallationId: not allowed'],
      ],
    ],
    async (_, change, lines) => {
      const answer = await connect({ ...given('wrong'), ...change })
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: apiErrors.requestInvalid.code,
          details: [{ title: 'Body', items: lines.map((line) => expect.stringContaining(line)) }],
        },
      })
    },
  ),
)

describe('branches', () => {
  test('are listed completely and in a stable order', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `feature/${(index * 7_919) % 5_000}`)
    repositoryAtA('acme/many', { branches: names })
    const { body } = await branchesOf(await connected(given('many')))
    expect((body as { data: Branch[] }).data.map(({ name }) => name)).toEqual(names.toSorted())
  })

  test('are listed with their current state after force pushes, renames and deletions', async () => {
    const repository = repositoryAtA('acme/moving', { branches: ['main', 'old'] })
    const source = await connected(given('moving'))
    expect((await branchesOf(source)).body).toEqual({ data: [{ name: 'main' }, { name: 'old' }] })
    repository.branches = ['trunk']
    expect((await branchesOf(source)).body).toEqual({ data: [{ name: 'trunk' }] })
  })

  test('are offered in forms by repository address, with the default branch first', async () => {
    repositoryAtA('acme/offered', { branches: ['main', 'a'] })
    const source = await connected(given('offered'))
    const offered = (repository: string) =>
      client.done('GET', `/values/git/branches?repository=${encodeURIComponent(repository)}`)
    const names = [
      { value: 'main', label: 'main', description: 'The default branch.' },
      { value: 'a', label: 'a' },
    ]
    expect(await offered(source.repoUrl)).toEqual(names)
    expect(await offered(`${source.repoUrl}.git`)).toEqual(names)
    expect(await offered('https://git.example/nobody/here')).toEqual([])
    expect(await client.done('GET', '/values/git/branches')).toEqual([])
  })

  test('fail with a remedy after access is revoked, until it is restored', async () => {
    const repository = repositoryAtA('acme/revoked')
    const source = await connected(given('revoked'))
    const seen = () => client.done<CodeSource>('GET', `/code-sources/${source.id}`)
    repository.installations = []
    a.tokens.clear()
    expect(await branchesOf(source)).toMatchObject({
      status: 422,
      body: {
        code: apiErrors.repositoryUnreadable.code,
        description: expect.stringContaining('access'),
        action: { label: expect.any(String), url: source.repoUrl },
      },
    })
    expect(await seen()).toMatchObject({ accessLost: true })
    repository.installations = [4711]
    expect(await branchesOf(source)).toMatchObject({ status: 200 })
    expect(await seen()).toMatchObject({ accessLost: false })
  })

  test('report the wait when the host rate-limits requests', async () => {
    repositoryAtA('acme/limited')
    const source = await connected(given('limited'))
    const body = { message: 'You have exceeded a secondary rate limit.' }
    a.order({ on: '/limited/branches', answer: { status: 403, headers: { 'retry-after': '17' }, body } })
    const limited = await branchesOf(source)
    expect(limited).toMatchObject({
      status: 429,
      body: { code: apiErrors.gitHostRateLimited.code, message: expect.stringContaining('Try again in 17 s.') },
    })
    expect(limited.headers.get('retry-after')).toBe('17')
    a.order({ on: '/limited/branches', answer: { status: 502 } })
    const failing = await branchesOf(source)
    expect(failing).toMatchObject({ status: 503, body: { code: apiErrors.gitHostUnreachable.code } })
    expect(failing.headers.get('retry-after')).toBe('30')
    expect(await client.done<CodeSource>('GET', `/code-sources/${source.id}`)).toMatchObject({ accessLost: false })
  })

  test('belong to an existing code source', async () => {
    expect(await client.ask('GET', '/code-source/cs_x/branches')).toMatchObject({ status: 404 })
    expect(await client.ask('GET', '/code-sources/cs_x/branches')).toMatchObject({ status: 404 })
  })
})

test('a server without an app rejects an installation and stores nothing', async () => {
  await using bare = await startHttpWorld()
  const seeded = await seedOrganization(bare.db)
  const there = new Client(bare.url, seeded.key)
  const repoUrl = 'https://127.0.0.1:9/acme/web'
  const data = { type: 'GITHOSTA', repoUrl, githostaInstallationId: '4711' }
  expect(await there.ask('POST', '/code-sources', { data }), 'see code-sources/connect.ts').toMatchObject({
    status: 422,
    body: {
      code: apiErrors.gitHostNotConfigured.code,
      message: expect.stringContaining('Ask an operator to set up the app'),
      action: { label: expect.any(String), url: repoUrl },
    },
  })
  expect(await there.done('GET', '/code-sources')).toEqual([])
})

test('an installation that does not exist is rejected', async () => {
  const data = { ...given('unseen'), githostaInstallationId: '99' }
  expect(await connect(data)).toMatchObject({ status: 422, body: { code: apiErrors.installationNotClaimed.code } })
})

test('a repository connected before the server had an app becomes readable once it has one', async () => {
  const repository = repositoryAtA('acme/later')
  const later = { repoUrl: `https://${hostOf(a)}/acme/later`, repoName: 'acme/later', visibility: 'UNKNOWN' } as const
  const auth = { kind: 'installation', githostaInstallationId: '4711' } as const
  const row = { id: newId('cs'), organizationId: owner.organizationId, type: 'GITHOSTA', ...later, auth } as const
  await world.db.insert(codeSources).values(row)
  expect(await client.ask('GET', `/code-source/${row.id}/branches`)).toMatchObject({ status: 200 })
  expect(await client.done('GET', `/code-sources/${row.id}`)).toMatchObject({
    gitRepositoryId: String(repository.id),
    visibility: 'PRIVATE',
  })
})

test('a checkout gets its own credential', async () => {
  repositoryAtA('acme/checkout')
  const { id } = await connected(given('checkout'))
  const [source] = await world.db.select().from(codeSources).where(eq(codeSources.id, id))
  if (!source) throw new Error('the code source is gone')
  const { url, environment, secrets } = await credentialFor(world.db, world.gitParts, source)
  expect(url).toBe(`${a.url}/acme/checkout.git`)
  expect(secrets).toHaveLength(2)
  expect(JSON.stringify(environment)).toContain(`http.${a.url}/.extraHeader`)
})

test('a webhook secret is created only for GitLab', async () => {
  repositoryAtA('acme/hooked')
  await projectAtB(b, 'acme/hooked', 'public')
  const ofApp = await connected(given('hooked'))
  expect(await client.ask('POST', `/code-sources/${ofApp.id}/webhook-secret`)).toMatchObject({
    status: 422,
    body: { code: apiErrors.webhookOfApp.code },
  })
  const source = await connected({ type: 'GITHOSTB', repoUrl: `https://${hostOf(b)}/acme/hooked` })
  const made = await client.done('POST', `/code-sources/${source.id}/webhook-secret`)
  expect(made).toEqual({ url: `${world.url}/webhooks/githostb/${source.id}`, secret: expect.stringMatching(/^.{43}$/) })
})
