import { type CodeSource, refusals } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const given = (name: string) => ({
  type: 'GITHOSTA',
  repoUrl: `https://github.com/acme/${name}`,
  githostaInstallationId: '4711',
})
const connect = (data: object) => client.ask('POST', '/code-sources', { data })

test('a repository is connected, found, listed by type and disconnected', async () => {
  const answer = await connect({ ...given('web'), repoUrl: 'git@github.com:Acme/Web.git' })
  expect(answer.status).toBe(201)
  const { data } = answer.body as { data: CodeSource }
  expect(data).toEqual({
    id: expect.stringMatching(/^cs_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    type: 'GITHOSTA',
    repoUrl: 'https://github.com/acme/web',
    repoName: 'Acme/Web',
    visibility: 'UNKNOWN',
    accessLost: false,
    auth: { kind: 'installation', githostaInstallationId: '4711' },
  })
  const path = `/code-sources/${data.id}`
  expect(await client.done('GET', path)).toEqual(data)
  expect(await client.done('GET', '/code-sources?type=GITHOSTA')).toEqual([data])
  expect(await client.done('GET', '/code-sources?type=GITHOSTB')).toEqual([])
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  for (const method of ['GET', 'DELETE']) {
    expect(await client.ask(method, path)).toMatchObject({
      status: 404,
      body: { code: refusals.codeSourceNotFound.code },
    })
  }
})

test.each([
  ['GITHOSTB', 'https://gitlab.com/acme/a', { githostbConnectionId: '1' }, 'connection'],
  ['GITHOSTB', 'https://gitlab.com/acme/shop/b', {}, 'none'],
  ['GITHOSTB_SELF_HOSTED', 'https://git.acme.example/acme/c', { githostbConnectionId: '1' }, 'connection'],
  ['GITHOSTB_SELF_HOSTED', 'https://git.acme.example/acme/d', {}, 'none'],
])('a repository of %s is read as it is told: %s', async (type, repoUrl, auth, kind) => {
  const answer = await connect({ type, repoUrl, ...auth })
  expect(answer).toMatchObject({ status: 201, body: { data: { type, repoUrl, auth: { kind, ...auth } } } })
})

test('a repository is connected once, however its address is written', async () => {
  expect(await connect(given('twice'))).toMatchObject({ status: 201 })
  for (const repoUrl of ['https://github.com/acme/twice.git', 'git@github.com:ACME/Twice.git']) {
    expect(await connect({ ...given('twice'), repoUrl })).toMatchObject({
      status: 409,
      body: { code: refusals.codeSourceTaken.code },
    })
  }
})

test.each<[string, object, string[]]>([
  ['an address that is none', { repoUrl: 'my repository' }, ['$.data.repoUrl: expected the https or ssh address']],
  ['no installation', { githostaInstallationId: undefined }, ['$.data.githostaInstallationId: expected a value']],
  ['a connection of the other host', { githostbConnectionId: '1' }, ['$.data.githostbConnectionId: expected nothing']],
  ['an unknown host', { type: 'GITHOSTC' }, ['$.data.type: expected one of GITHOSTA, GITHOSTB, GITHOSTB_SELF_HOSTED']],
  [
    'the address and the access of another host',
    { type: 'GITHOSTB' },
    ['$.data.repoUrl: expected', '$.data.githostaInstallationId: expected nothing'],
  ],
])('%s is refused, and told what was expected', async (_, change, lines) => {
  const answer = await connect({ ...given('wrong'), ...change })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: refusals.requestInvalid.code,
      details: [{ title: 'Body', items: lines.map((line) => expect.stringContaining(line)) }],
    },
  })
})

test('branches wait for the git host to be set up', async () => {
  const { data } = (await connect(given('branches'))).body as { data: CodeSource }
  expect(await client.ask('GET', `/code-source/${data.id}/branches`)).toMatchObject({
    status: 503,
    body: { code: refusals.gitHostNotConfigured.code, action: { label: expect.any(String), url: data.repoUrl } },
  })
  expect(await client.ask('GET', '/code-source/cs_x/branches')).toMatchObject({ status: 404 })
  expect(await client.ask('GET', `/code-sources/${data.id}/branches`)).toMatchObject({ status: 404 })
})

test('the git host is not believed in what was not begun here', async () => {
  const stranger = new Client(world.url, '')
  expect(await stranger.ask('GET', '/git-host-b/callback?code=a&state=b')).toMatchObject({
    status: 400,
    body: { code: refusals.gitStateInvalid.code },
  })
  for (const query of ['', '?code=a', '?state=b', '?code=&state=']) {
    expect(await stranger.ask('GET', `/git-host-b/callback${query}`)).toMatchObject({
      status: 400,
      body: { code: refusals.requestInvalid.code },
    })
  }
})
