import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GitAccessLost } from './errors.ts'
import { type FakeGitHostA, startFakeGitHostA } from './fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from './fakes/githostb.fixture.ts'
import { createGitHostA } from './githosta.ts'
import { createGitHostB } from './githostb.ts'
import type { AccessibleRepository, HostedRepository } from './host.ts'
import type { Listed } from './pages.ts'
import { sendLocally } from './send-locally.fixture.ts'

let a: FakeGitHostA
let b: FakeGitHostB

/** Returns a fake commit id of the right length and alphabet. */
const commitAt = (index: number) => index.toString(16).padStart(40, '0')
const commits = Array.from({ length: 703 }, (_, index) => commitAt(index))
const tree = {
  'README.md': '# Wäb',
  'infra/main.tf': 'resource {}',
  'infra/modules/net/main.tf': 'variable {}',
  'logo.png': Buffer.from([0x89, 0x50, 0, 0xff]),
  'large.bin': Buffer.alloc(1_048_577),
}
const repository = { id: 42, name: 'acme/web', branches: ['main', 'feature/x'], tags: ['v1.9.0', 'v1.10.0'] }

beforeEach(async () => {
  ;[a, b] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  a.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
  a.repositories.push({ ...repository, isPrivate: true, installations: [7], commits, tree })
  b.projects.push({ ...repository, visibility: 'private', members: [1], commits, tree })
})
afterEach(() => Promise.all([a.close(), b.close()]))

const hosts: ['A' | 'B'][] = [['A'], ['B']]

async function open(host: 'A' | 'B'): Promise<{
  repository: HostedRepository
  repositories: () => Promise<Listed<AccessibleRepository>>
}> {
  const place = { repoName: 'acme/web', gitRepositoryId: '42' }
  if (host === 'A') {
    const gitHost = createGitHostA({ url: a.url, app: a.app, send: sendLocally, clock: a.clock })
    return {
      repository: gitHost.repository({ ...place, installationId: '7' }),
      repositories: () => gitHost.repositories('7'),
    }
  }
  const gitHost = createGitHostB({ url: b.url, send: sendLocally, clock: () => new Date() })
  const wish = { callbackUrl: 'https://sluice.example/', verifier: 'v'.repeat(43) }
  const code = b.agree(gitHost.authorizeUrl(b.client.clientId, { ...wish, state: 's' }), 1)
  const { accessToken } = await gitHost.exchange(b.client, { ...wish, code })
  const tokens = { current: async () => accessToken, insteadOf: async () => accessToken }
  return { repository: gitHost.repository({ ...place, tokens }), repositories: () => gitHost.repositories(tokens) }
}

describe.each(hosts)('Git host %s', (host) => {
  test('lists the repositories that an installation or a connection can access, and no others', async () => {
    const others = Array.from({ length: 150 }, (_, index) => ({ id: 1_000 + index, name: `acme/r${index}` }))
    for (const other of others) {
      a.repositories.push({ ...other, isPrivate: false, branches: ['main'], installations: [7] })
      b.projects.push({ ...other, visibility: 'public', branches: ['main'], members: [1] })
    }
    a.repositories.push({ id: 5, name: 'evil/other', isPrivate: false, branches: [], installations: [8] })
    b.projects.push({ id: 5, name: 'evil/other', visibility: 'public', branches: [], members: [2] })
    const { items, isComplete } = await (await open(host)).repositories()
    expect(isComplete).toBe(true)
    expect(items).toHaveLength(151)
    expect(items.map(({ repoName }) => repoName)).not.toContain('evil/other')
    expect(items.find(({ repoName }) => repoName === 'acme/web')).toEqual({
      gitRepositoryId: '42',
      repoName: 'acme/web',
      repoUrl: `${host === 'A' ? a.url : b.url}/acme/web`,
      defaultBranch: 'main',
    })
    if (host === 'A') expect([...a.tokens.values()]).toMatchObject([{ permissions: { metadata: 'read' } }])
  })

  test('lists branches and tags with their commits', async () => {
    const opened = (await open(host)).repository
    const branches = await opened.refs('BRANCH')
    expect(branches).toEqual({
      items: ['main', 'feature/x'].map((name) => ({ name, commit: 'a'.repeat(40) })),
      isComplete: true,
    })
    const tags = await opened.refs('TAG')
    expect(tags.items.map(({ name }) => name)).toEqual(['v1.9.0', 'v1.10.0'])
    expect(tags.items[0]?.commit).toBe('b'.repeat(40))
  })

  test('lists the commits between two refs, newest first', async () => {
    const { items, isComplete } = await (await open(host)).repository.commitsBetween(commitAt(10), commitAt(13))
    expect(items.map(({ id }) => id)).toEqual([commitAt(13), commitAt(12), commitAt(11)])
    expect(isComplete).toBe(true)
    expect(items[0]).toEqual({
      id: commitAt(13),
      message: `Change ${commitAt(13)}`,
      authorName: 'Ada',
      committedAt: new Date('2026-01-02T03:04:05Z'),
      url: `${host === 'A' ? a.url : b.url}/commit/${commitAt(13)}`,
    })
  })

  test('lists the newest of many commits and reports that there are more', async () => {
    const { items, isComplete } = await (await open(host)).repository.commitsBetween(commitAt(0), commitAt(702))
    expect(isComplete).toBe(false)
    expect(items[0]?.id).toBe(commitAt(702))
    expect(items.length).toBeGreaterThan(400)
    expect(items.length).toBeLessThanOrEqual(500)
  })

  test('lists the merged pull requests that contain a commit', async () => {
    const head = { ref: 'cart', sha: commitAt(12) }
    a.pulls.push({ number: 7, state: 'closed', head, merged_at: '2026-01-02T03:04:05Z' })
    a.pulls.push({ number: 8, state: 'closed', head, merged_at: null })
    const request = { source_branch: 'cart', sha: commitAt(12) }
    b.mergeRequests.push({ ...request, iid: 7, state: 'merged' }, { ...request, iid: 8, state: 'closed' })
    const found = await (await open(host)).repository.mergedPullRequests(commitAt(12))
    const told = { title: expect.any(String), authorName: expect.any(String), url: expect.stringContaining('http') }
    expect(found).toEqual([{ number: 7, ...told }])
  })

  test('lists no commits between a commit and itself', async () => {
    const opened = (await open(host)).repository
    expect(await opened.commitsBetween(commitAt(3), commitAt(3))).toEqual({ items: [], isComplete: true })
  })

  test('returns files with any content, and directories', async () => {
    const opened = (await open(host)).repository
    expect(await opened.contents('README.md', undefined)).toEqual({
      type: 'FILE',
      bytes: 6,
      content: Buffer.from('# Wäb'),
    })
    expect(await opened.contents('infra/modules/net/main.tf', undefined)).toMatchObject({ bytes: 11 })
    expect(await opened.contents('logo.png', 'main')).toMatchObject({ content: tree['logo.png'] })
    expect(await opened.contents('infra', 'main')).toEqual({
      type: 'DIRECTORY',
      items: [
        { name: 'main.tf', type: 'FILE' },
        { name: 'modules', type: 'DIRECTORY' },
      ],
      isComplete: true,
    })
    const root = await opened.contents('', undefined)
    expect(root.type === 'DIRECTORY' && root.items).toContainEqual({ name: 'infra', type: 'DIRECTORY' })
  })

  test('returns the size of a large file instead of its content', async () => {
    expect(await (await open(host)).repository.contents('large.bin', undefined)).toEqual({
      type: 'FILE',
      bytes: 1_048_577,
      content: undefined,
    })
  })

  test.each([
    ['commits', (opened: HostedRepository) => opened.commitsBetween('nowhere', commitAt(1))],
    ['a path', (opened: HostedRepository) => opened.contents('none/such.tf', undefined)],
    ['a path at a ref', (opened: HostedRepository) => opened.contents('README.md', 'nowhere')],
  ])('reports a missing %s', async (_, ask) => {
    const error = await ask((await open(host)).repository).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(GitAccessLost)
    expect(error.isMissing).toBe(true)
  })
})
