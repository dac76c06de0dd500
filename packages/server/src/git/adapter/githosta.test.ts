import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import type { Send } from './ask.ts'
import { GitAccessLost, GitHostPermanentError, GitHostTransientError } from './errors.ts'
import { type FakeGitHostA, startFakeGitHostA } from './fakes/githosta.fixture.ts'
import { createGitHostA } from './githosta.ts'
import type { HostedRepository } from './host.ts'
import { sendLocally } from './send-locally.fixture.ts'

let host: FakeGitHostA
let repository: HostedRepository

beforeEach(async () => {
  host = await startFakeGitHostA()
  host.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
  const web = { id: 42, name: 'Acme/Web', isPrivate: true, branches: ['main', 'b', 'a'], installations: [7] }
  host.repositories.push(web)
  repository = open()
})
afterEach(() => host.close())

const gitHost = (timeoutMs = 5_000) =>
  createGitHostA({ url: host.url, app: host.app, send: sendLocally, clock: host.clock, timeoutMs })
const open = ({ installationId = '7' as string | null, timeoutMs = 5_000, id = null as string | null } = {}) =>
  gitHost(timeoutMs).repository({
    repoName: 'acme/web',
    gitRepositoryId: id,
    installationId: installationId ?? undefined,
  })
const minted = () => host.requests.filter(({ path }) => path.endsWith('/access_tokens'))

test('a repository is read with a token that is limited to it and created once', async () => {
  expect(await repository.read()).toEqual({
    gitRepositoryId: '42',
    repoName: 'Acme/Web',
    defaultBranch: 'main',
    visibility: 'PRIVATE',
  })
  await Promise.all([repository.branches(), repository.read()])
  expect(minted().map(({ body }) => body)).toEqual([{ repositories: ['web'] }])
  expect([...host.tokens.values()]).toMatchObject([{ ids: [42] }])
})

test('a known repository is addressed by its id', async () => {
  await open({ id: '42' }).read()
  expect(minted().map(({ body }) => body)).toEqual([{ repository_ids: [42] }])
})

test('a token is not used in its last five minutes', async () => {
  await repository.read()
  host.pass(54 * 60_000)
  await repository.read()
  expect(minted()).toHaveLength(1)
  host.pass(2 * 60_000)
  await repository.read()
  expect(minted()).toHaveLength(2)
})

test('a revoked token is replaced', async () => {
  await repository.read()
  host.tokens.clear()
  expect(await repository.branches()).toEqual(['a', 'b', 'main'])
  expect(minted()).toHaveLength(2)
})

test('5,000 branches are returned in a stable order within seconds', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `feature/${(index * 7_919) % 5_000}`)
  host.repositories[0]?.branches.splice(0, 3, ...names)
  const started = cpuTimeMs()
  const branches = await repository.branches()
  expect(cpuTimeMs() - started).toBeLessThan(5_000)
  expect(branches).toEqual(names.toSorted())
  expect(host.requests.filter(({ path }) => path.endsWith('/branches'))).toHaveLength(50)
})

describe('access is lost', () => {
  test('when the app is uninstalled', async () => {
    await repository.read()
    host.installations.delete(7)
    await expect(repository.branches()).rejects.toThrow(GitAccessLost)
  })

  test('when the repository is removed from the installation', async () => {
    host.repositories[0]?.installations.pop()
    await expect(repository.read()).rejects.toThrow(GitAccessLost)
  })

  test('to private repositories without an installation', async () => {
    await expect(open({ installationId: null }).read()).rejects.toThrow(/Not Found/)
    Object.assign(host.repositories[0] ?? {}, { isPrivate: false })
    expect(await open({ installationId: null }).read()).toMatchObject({ visibility: 'PUBLIC' })
    expect(host.requests.at(-1)?.headers.authorization).toBeUndefined()
  })
})

describe('a transient error', () => {
  const reset = () => String(Math.ceil(Date.now() / 1_000) + 90)
  test.each([
    ['the hour is used up', 403, { 'x-ratelimit-remaining': '0' }, 90],
    ['we are too eager', 403, { 'retry-after': '17' }, 17],
    ['there are too many requests', 429, {}, 60],
  ])('%s reports when to retry', async (_, status, headers, seconds) => {
    const limits = seconds === 90 ? { 'x-ratelimit-reset': reset() } : {}
    const body = { message: 'API rate limit exceeded for installation ID 7.' }
    host.order({
      on: '/branches',
      answer: { status, headers: { ...headers, ...limits } as Record<string, string>, body },
    })
    const error = await repository.branches().catch((thrown) => thrown)
    expect(error).toBeInstanceOf(GitHostTransientError)
    expect(error).toMatchObject({ isRateLimit: true, message: expect.stringContaining('API rate limit exceeded') })
    expect(Math.abs(error.retryAfterSeconds - seconds)).toBeLessThanOrEqual(1)
  })

  test('in the middle of a list discards the whole list', async () => {
    host.repositories[0]?.branches.push(...Array.from({ length: 400 }, (_, index) => `b${index}`))
    await repository.branches()
    host.order({
      on: '/branches',
      answer: {
        status: 200,
        body: [{ name: 'only' }],
        headers: { link: '<x?page=9>; rel="next", <x?page=9>; rel="last"' },
      },
    })
    host.order({ on: '/branches', answer: { status: 502 } })
    await expect(repository.branches()).rejects.toThrow(GitHostTransientError)
  })

  test.each([
    ['it fails', { status: 500, body: { message: 'Server Error' } }, /answered 500/, {}],
    ['it answers with a page', { status: 200, body: 'maintenance' }, /what its interface does not say/, {}],
    ['it is silent', 'nothing' as const, /no answer within 0.2 s/, { timeoutMs: 200 }],
  ])('%s', async (_, answer, message, options) => {
    host.order({ on: '/repos/acme/web', answer })
    const error = await open(options)
      .read()
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(GitHostTransientError)
    expect(error.message).toMatch(message)
  })

  test('reports a missing repository', async () => {
    const nowhere = createGitHostA({ url: 'http://127.0.0.1:9', app: undefined, send: sendLocally, clock: host.clock })
    const place = { repoName: 'a/b', gitRepositoryId: null, installationId: undefined }
    await expect(nowhere.repository(place).read()).rejects.toThrow(GitHostTransientError)
  })
})

test('a status is set with its description truncated to GitHub’s limit', async () => {
  const url = 'https://sluice.example/runs/1'
  await repository.setCommitStatus('abc', { name: 'Sluice', state: 'failure', description: 'x'.repeat(200), url })
  expect(host.statuses).toEqual([
    { commit: 'abc', state: 'failure', context: 'Sluice', description: 'x'.repeat(140), target_url: url },
  ])
  host.order({ on: '/statuses/', answer: { status: 422, body: { message: 'No commit found for SHA: def' } } })
  const status = { name: 'Sluice', state: 'pending', description: '', url } as const
  await expect(repository.setCommitStatus('def', status)).rejects.toThrow(GitHostPermanentError)
})

describe('a check run', () => {
  const facts = { id: 'run_1', commit: 'abc', name: 'sluice/shop/release' }
  const startedAt = new Date('2026-01-02T03:04:05Z')
  const url = 'https://sluice.example/runs/1'
  const words = { title: 'x'.repeat(300), summary: 'y'.repeat(70_000), url }
  const running = { ...words, state: 'running', startedAt, completedAt: null } as const
  const checks = () => {
    if (!repository.checks) throw new Error('the repository has no checks')
    return repository.checks
  }

  test('is created with Sluice’s id, truncated to GitHub’s limits, and completed with its conclusion', async () => {
    const id = await checks().createCheck(facts, running)
    expect(host.checks).toMatchObject([
      {
        name: facts.name,
        head_sha: 'abc',
        external_id: 'run_1',
        details_url: url,
        status: 'in_progress',
        conclusion: null,
        started_at: startedAt.toISOString(),
        output: { title: 'x'.repeat(255), summary: 'y'.repeat(65_535) },
      },
    ])
    const completedAt = new Date('2026-01-02T03:05:00Z')
    for (const [state, conclusion] of [
      ['success', 'success'],
      ['failure', 'failure'],
      ['cancelled', 'cancelled'],
    ] as const) {
      await checks().updateCheck(id, { ...running, state, completedAt })
      const completed = { status: 'completed', conclusion, completed_at: completedAt.toISOString() }
      expect(host.checks).toMatchObject([completed])
    }
    await checks().createCheck({ ...facts, id: 'run_2' }, { ...running, state: 'queued', startedAt: null })
    expect(host.checks[1]).toMatchObject({ status: 'queued', conclusion: null })
  })

  test('is found again among others of its name, by Sluice’s id and app', async () => {
    const id = await checks().createCheck(facts, running)
    await checks().createCheck({ ...facts, id: 'run_2' }, running)
    const [made] = host.checks
    if (!made) throw new Error('there is no check')
    host.checks.unshift({ ...made, id: 4711, app: { id: 4711 } })
    for (let other = 1; other <= 120; other++) host.checks.push({ ...made, id: 5000 + other, external_id: `o${other}` })
    expect(await checks().findCheck(facts)).toBe(id)
    expect(await checks().findCheck({ ...facts, id: 'run_3' })).toBeUndefined()
    expect(await checks().findCheck({ ...facts, commit: 'def' })).toBeUndefined()
  })

  test('is unavailable without an app, and fails if the app lacks the permission', async () => {
    expect(open({ installationId: null }).checks).toBeUndefined()
    await expect(checks().updateCheck('4711', running)).rejects.toMatchObject({ isMissing: true, isForbidden: false })
    Object.assign(host.repositories[0] ?? {}, { commits: ['abc'] })
    await expect(checks().createCheck({ ...facts, commit: 'def' }, running)).rejects.toThrow(GitHostPermanentError)
    host.withoutChecks.add(42)
    const forbidden = { isForbidden: true, message: expect.stringContaining('Resource not accessible by integration') }
    await expect(checks().createCheck(facts, running)).rejects.toMatchObject(forbidden)
    await expect(checks().findCheck(facts)).rejects.toMatchObject(forbidden)
  })
})

describe('a deployment', () => {
  const url = 'https://sluice.example/deployments/dep_1'
  const facts = {
    id: 'dep_1',
    commit: 'abc',
    what: 'shop/web',
    environment: 'Production',
    isTransient: false,
    description: 'x'.repeat(200),
  }

  test('is created without merging or required checks, and found again by Sluice’s id', async () => {
    const id = await repository.createRelease(facts)
    await repository.createRelease({ ...facts, id: 'dep_2' })
    expect(host.deployments[0]).toMatchObject({
      sha: 'abc',
      task: 'deploy:shop/web',
      environment: 'Production',
      transient_environment: false,
      description: 'x'.repeat(140),
    })
    const { body } = host.requests.find(({ path, method }) => method === 'POST' && path.endsWith('/deployments')) ?? {}
    expect(body).toMatchObject({ auto_merge: false, required_contexts: [] })
    expect(await repository.findReleases(facts, new Date())).toEqual([id])
    expect(await repository.findReleases({ ...facts, environment: 'Test' }, new Date())).toEqual([])
  })

  test('has each status once and does not deactivate other deployments', async () => {
    const id = await repository.createRelease(facts)
    const running = { state: 'running', isTransient: false, description: 'Is being released', url } as const
    await repository.setReleaseStatus(id, running)
    await repository.setReleaseStatus(id, running)
    await repository.setReleaseStatus(id, { ...running, state: 'replaced', description: 'Another took its place' })
    const posted = host.requests.filter(({ path, method }) => method === 'POST' && path.endsWith('/statuses'))
    expect(posted.map(({ body }) => body)).toMatchObject([
      { state: 'in_progress', log_url: url, auto_inactive: false },
      { state: 'inactive', auto_inactive: false },
    ])
  })

  test('fails if GitHub does not know it or its commit, or denies permission', async () => {
    const status = { state: 'success', isTransient: false, description: '', url } as const
    await expect(repository.setReleaseStatus('4711', status)).rejects.toThrow(GitAccessLost)
    Object.assign(host.repositories[0] ?? {}, { commits: ['abc'] })
    await expect(repository.createRelease({ ...facts, commit: 'def' })).rejects.toThrow(/No ref found for: def/)
    host.withoutDeployments.add(42)
    await expect(repository.createRelease(facts)).rejects.toThrow(/Resource not accessible by integration/)
  })
})

test('a comment is created once and then updated, even if someone copies its marker', async () => {
  const marker = '<!-- sluice pl_1 -->'
  for (let id = 1; id <= 120; id++) {
    const body = id === 3 ? `fake ${marker}` : 'words'
    host.comments.push({ id, number: 5, body, performed_via_github_app: null })
  }
  await repository.upsertComment(5, { marker, text: 'first' })
  await repository.upsertComment(5, { marker, text: 'second' })
  await repository.upsertComment(5, { marker: '<!-- sluice pl_2 -->', text: 'other' })
  expect(host.comments.slice(120).map(({ body }) => body)).toEqual([
    `second\n\n${marker}`,
    'other\n\n<!-- sluice pl_2 -->',
  ])
  expect(host.comments[2]?.body).toBe(`fake ${marker}`)
})

test('a comment is found again if the host does not report the app that wrote it', async () => {
  host.hideApps()
  const marker = '<!-- sluice pl_1 -->'
  const faked = (id: number, login: string, type: string) =>
    host.comments.push({ id, number: 5, body: `fake ${marker}`, user: { login, type } })
  faked(1, 'sluice-test', 'User')
  faked(2, 'another[bot]', 'Bot')
  await repository.upsertComment(5, { marker, text: 'first' })
  await repository.upsertComment(5, { marker, text: 'second' })
  expect(host.comments.map(({ body }) => body)).toEqual([`fake ${marker}`, `fake ${marker}`, `second\n\n${marker}`])
})

test.each([
  ['https://github.com', 'https://api.github.com'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ['https://git.example.com', 'https://git.example.com/api/v3'],
])('the API of %s is at %s', async (url, api) => {
  const asked: string[] = []
  const send: Send = async (request) => {
    asked.push(request.url)
    return { status: 404, headers: new Headers(), text: '{}' }
  }
  const place = { repoName: 'acme/web', gitRepositoryId: null, installationId: undefined }
  const reading = createGitHostA({ url, app: undefined, clock: host.clock, send }).repository(place).read()
  await expect(reading).rejects.toThrow(GitAccessLost)
  expect(asked).toEqual([`${api}/repos/acme/web`])
})

test('only open pull requests of the branch at this commit are listed', async () => {
  const pull = (number: number, state: string, ref: string, sha: string) => ({ number, state, head: { ref, sha } })
  host.pulls.push(
    pull(1, 'closed', 'x', 'abc'),
    pull(2, 'open', 'y', 'abc'),
    pull(3, 'open', 'x', 'abc'),
    pull(4, 'open', 'x', 'old'),
  )
  expect(await repository.openPullRequests('x', 'abc')).toEqual([3])
})

test('both names of a renamed file count, and a truncated comparison is unknown', async () => {
  host.files.push({ filename: 'new.ts', previous_filename: 'old.ts' }, { filename: 'a.ts' })
  expect(await repository.changedPaths('abc', 'def')).toEqual(['old.ts', 'new.ts', 'a.ts'])
  host.files.push(...Array.from({ length: 300 }, (_, index) => ({ filename: `${index}` })))
  expect(await repository.changedPaths('abc', 'def')).toBeUndefined()
})

test('a push contains the files of added and of removed commits', async () => {
  const [web] = host.repositories
  if (!web) throw new Error('the host has no repository')
  const files = (filename: string) => [{ filename }]
  web.comparisons = {
    'old...next': { status: 'ahead', files: files('added') },
    'old...amended': { status: 'diverged', files: files('added') },
    'amended...old': { status: 'ahead', files: files('dropped') },
    'next...old': { status: 'behind', files: [] },
  }
  expect(await repository.pushedPaths('old', 'next')).toEqual(['added'])
  expect(await repository.pushedPaths('old', 'amended')).toEqual(['added', 'dropped'])
  expect(await repository.pushedPaths('next', 'old')).toEqual(['added'])
})

test('a repository is still read after a rename', async () => {
  const [web] = host.repositories
  if (!web) throw new Error('the host has no repository')
  Object.assign(web, { name: 'acme/shop', formerNames: ['acme/web'] })
  const repository = open({ id: '42' })
  expect(await repository.read()).toMatchObject({ repoName: 'acme/shop', gitRepositoryId: String(web.id) })
})

describe('an installation is claimed', () => {
  const claim = (code: string, id = '7') =>
    gitHost().claims.claim(code, id, 'https://sluice.example/git-host-a/callback')

  test('by an owner of its organization', async () => {
    host.people.set('code', { id: 1, installations: [7], organizations: { acme: 'admin' } })
    expect(await claim('code')).toEqual({ installationId: '7', accountName: 'acme' })
  })

  test('by the owner of a personal account and no one else', async () => {
    host.installations.set(8, { login: 'ada', id: 1, type: 'User' })
    host.people.set('ada', { id: 1, installations: [8], organizations: {} })
    host.people.set('eve', { id: 2, installations: [8], organizations: {} })
    expect(await claim('ada', '8')).toEqual({ installationId: '8', accountName: 'ada' })
    expect(await claim('eve', '8')).toEqual({ refused: expect.stringContaining('not an owner of ada') })
  })

  test.each([
    [
      'a member who is no owner',
      { installations: [7], organizations: { acme: 'member' as const } },
      /not an owner of acme/,
    ],
    ['somebody who reads one repository', { installations: [7], organizations: {} }, /not an owner of acme/],
    ['a stranger', { installations: [], organizations: {} }, /does not see the installation 7/],
  ])('but not by %s', async (_, person, why) => {
    host.people.set('code', { id: 1, ...person })
    expect(await claim('code')).toEqual({ refused: expect.stringMatching(why) })
  })

  test('but not with an unknown code', async () => {
    expect(await claim('forged')).toEqual({ refused: 'The code passed is incorrect or expired.' })
  })

  test('at the URL on which the app is installed', async () => {
    expect(await gitHost().claims.installUrl('s&t')).toBe(`${host.url}/apps/sluice-test/installations/new?state=s%26t`)
  })
})
