import { afterEach, beforeEach, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { GitAccessLost, GitHostTransientError } from './errors.ts'
import { type FakeGitHostB, startFakeGitHostB } from './fakes/githostb.fixture.ts'
import { type AccessTokens, createGitHostB, type GitHostB } from './githostb.ts'
import { sendLocally } from './send-locally.fixture.ts'

let fake: FakeGitHostB
let host: GitHostB
let tokens: AccessTokens & { replaced: string[] }
const callbackUrl = 'https://sluice.example/git-host-b/callback'

beforeEach(async () => {
  fake = await startFakeGitHostB()
  fake.projects.push({
    id: 9,
    name: 'Acme/shop/Web',
    visibility: 'private',
    branches: ['main', 'b', 'a'],
    members: [1],
  })
  host = createGitHostB({ url: fake.url, send: sendLocally, clock: () => new Date() })
  const granted = await grantFor(1)
  tokens = {
    replaced: [],
    current: async () => granted.accessToken,
    async insteadOf(rejected) {
      this.replaced.push(rejected)
      return (await host.refresh(fake.client, granted.refreshToken)).accessToken
    },
  }
})
afterEach(() => fake.close())

async function grantFor(userId: number) {
  const url = host.authorizeUrl(fake.client.clientId, { state: 's', callbackUrl, verifier: 'v'.repeat(43) })
  return host.exchange(fake.client, { code: fake.agree(url, userId), callbackUrl, verifier: 'v'.repeat(43) })
}

const open = (given: { tokens?: AccessTokens | undefined } = { tokens }) =>
  host.repository({ repoName: 'acme/shop/web', gitRepositoryId: null, tokens: given.tokens })

test('an OAuth code works once and only with its verifier', async () => {
  const url = host.authorizeUrl(fake.client.clientId, { state: 's', callbackUrl, verifier: 'v'.repeat(43) })
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ scope: 'api', code_challenge_method: 'S256' })
  const code = fake.agree(url, 1)
  await expect(host.exchange(fake.client, { code, callbackUrl, verifier: 'w'.repeat(43) })).rejects.toThrow(/invalid/)
  await expect(host.exchange(fake.client, { code, callbackUrl, verifier: 'v'.repeat(43) })).rejects.toThrow(/invalid/)
  const granted = await grantFor(5)
  expect(await host.person(granted.accessToken)).toEqual({ userId: '5', userName: 'user-5' })
})

test('a project in nested groups is read', async () => {
  expect(await open().read()).toEqual({
    gitRepositoryId: '9',
    repoName: 'Acme/shop/Web',
    defaultBranch: 'main',
    visibility: 'PRIVATE',
  })
  expect(await open().branches()).toEqual(['a', 'b', 'main'])
})

test('an expired token is refreshed, and a rejected refresh means that access is lost', async () => {
  const [expired] = fake.accessTokens.keys()
  fake.accessTokens.clear()
  expect(await open().read()).toMatchObject({ gitRepositoryId: '9' })
  expect(tokens.replaced).toEqual([expired])
  fake.accessTokens.clear()
  await expect(open().read()).rejects.toThrow(/invalid/)
})

test('a private project does not exist for anonymous requests', async () => {
  await expect(open({ tokens: undefined }).read()).rejects.toThrow(GitAccessLost)
  Object.assign(fake.projects[0] ?? {}, { visibility: 'public' })
  expect(await open({ tokens: undefined }).read()).toMatchObject({ visibility: 'PUBLIC' })
})

test.each([5_000, 10_050])('%i branches are listed, with or without a page count', async (count) => {
  const names = Array.from({ length: count }, (_, index) => `f${(index * 7_919) % count}`)
  fake.projects[0]?.branches.splice(0, 3, ...names)
  const started = cpuTimeMs()
  expect(await open().branches()).toEqual(names.toSorted())
  expect(cpuTimeMs() - started).toBeLessThan(8_000)
})

test('a rate limit reports when to retry', async () => {
  const headers = { 'retry-after': '12', 'ratelimit-remaining': '0' }
  fake.order({ on: '/branches', answer: { status: 429, headers, body: { message: 'Too Many Requests' } } })
  const error = await open()
    .branches()
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(GitHostTransientError)
  expect(error).toMatchObject({ isRateLimit: true, retryAfterSeconds: 12 })
})

test('setting the current status again is no error', async () => {
  const status = { name: 'Sluice', description: 'Waits', url: 'https://sluice.example' }
  await open().setCommitStatus('abc', { ...status, state: 'pending' })
  await open().setCommitStatus('abc', { ...status, state: 'pending' })
  await open().setCommitStatus('abc', { ...status, state: 'failure' })
  expect(fake.statuses.map(({ state }) => state)).toEqual(['pending', 'failed'])
})

test('a deployment is created and updated, and candidates for it are found again', async () => {
  const url = 'https://sluice.example/deployments/dep_1'
  const facts = { id: 'dep_1', commit: 'abc', what: 'shop/web', environment: 'Production', isTransient: false }
  const release = { ...facts, description: 'Web' }
  const since = new Date()
  const byJob = { ref: 'main', status: 'success', environment: { id: 9, name: 'Production' }, deployable: { id: 1 } }
  fake.deployments.push({ id: 1, project: 9, sha: 'abc', created_at: since.toISOString(), ...byJob })
  const long = new Date(since.getTime() - 3_600_000).toISOString()
  fake.deployments.push({ id: 2, project: 9, sha: 'abc', created_at: long, ...byJob, deployable: null })
  const id = await open().createRelease(release)
  expect(await open().findReleases(release, since)).toEqual([id])
  const status = { description: '', url, isTransient: false }
  for (const state of ['running', 'success', 'success', 'replaced'] as const) {
    await open().setReleaseStatus(id, { ...status, state })
  }
  expect(fake.deployments.at(-1)).toMatchObject({ sha: 'abc', ref: 'abc', status: 'success' })
  await expect(open().setReleaseStatus('4711', { ...status, state: 'success' })).rejects.toThrow(GitAccessLost)
  await expect(open().createRelease({ ...release, environment: 'a!' })).rejects.toThrow(/can contain only/)
  Object.assign(fake.projects[0] ?? {}, { readers: [1] })
  await expect(open().createRelease(release)).rejects.toThrow(/Forbidden/)
})

test('a temporary environment is stopped with its last deployment, but not after a newer deployment', async () => {
  const facts = { id: 'dep_1', commit: 'abc', what: 'shop/web', environment: 'pr-7', isTransient: true }
  const release = () => open().createRelease({ ...facts, description: 'Web' })
  const [first, last] = [await release(), await release()]
  const replace = (id: string, isTransient = true) =>
    open().setReleaseStatus(id, { state: 'replaced', isTransient, description: '', url: 'https://sluice.example' })
  const stateNow = () => fake.environments.find(({ name }) => name === 'pr-7')?.state
  await replace(first)
  await replace(last, false)
  expect(stateNow()).toBe('available')
  await replace(last)
  await replace(last)
  expect(stateNow()).toBe('stopped')
})

test('a comment is created once and then updated, even if someone copies its marker', async () => {
  const marker = '<!-- sluice pl_1 -->'
  fake.notes.push({ id: 1, iid: 5, body: `fake ${marker}`, author: { id: 2 } })
  await open().upsertComment(5, { marker, text: 'first' })
  await open().upsertComment(5, { marker, text: 'second' })
  expect(fake.notes.map(({ body }) => body)).toEqual([`fake ${marker}`, `second\n\n${marker}`])
})

test('open merge requests of a branch at a commit, and changes between two commits, are listed', async () => {
  const request = (iid: number, state: string, sha: string) => ({ iid, state, sha, source_branch: 'x' })
  fake.mergeRequests.push(request(1, 'merged', 'abc'), request(2, 'opened', 'abc'), request(3, 'opened', 'old'))
  expect(await open().openPullRequests('x', 'abc')).toEqual([2])
  fake.diffs.push({ old_path: 'a', new_path: 'a' }, { old_path: 'b', new_path: 'c' })
  expect(await open().changedPaths('abc', 'def')).toEqual(['a', 'b', 'c'])
})

test('a push contains the differences between both commits, including removed commits', async () => {
  const [project] = fake.projects
  if (!project) throw new Error('the host has no project')
  project.comparisons = { 'new..old': ['dropped'], 'new...old': [] }
  expect(await open().pushedPaths('new', 'old')).toEqual(['dropped'])
  expect(await open().changedPaths('new', 'old')).toEqual([])
})
