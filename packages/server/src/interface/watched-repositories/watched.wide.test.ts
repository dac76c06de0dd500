import type {
  AuditEvent,
  CodeSource,
  Environment,
  Pipeline,
  WatchedRepository,
  WatchedRepositoryPlan,
} from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeGitHostA, type RepositoryAtA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../../git/adapter/fakes/settings.fixture.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { gitDeliveries } from '../../pipelines/git-deliveries/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { dueBy } from './store.ts'
import { watchedRepositories } from './tables.ts'

type Json = Record<string, unknown>
type Tree = Record<string, string>

let a: FakeGitHostA
let world: World
const installation = 7
let last = 0
const next = () => ++last
const commitOf = (number: number) => number.toString(16).padStart(40, '0')

beforeAll(async () => {
  a = await startFakeGitHostA()
  a.installations.set(installation, { login: 'acme', id: 70, type: 'Organization' })
  world = await startWorld({ env: { ...settingsOfFakeA(a), SLUICE_PUBLIC_URL: 'https://sluice.example' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await a?.close()
})

const project = (title: string) => `kind: Project\nname: shop\ntitle: ${title}\n`
const environment = (name: string) => `kind: Environment\nname: ${name}\n`

/** Creates an organization with a project, a repository and a service account. */
async function place({ role = 'ADMIN' }: { role?: string } = {}) {
  const owner = await seedOrganization(world.db)
  const { organizationId, membershipId } = owner
  const claimed = { githostaInstallationId: String(installation), accountName: 'acme', claimedById: membershipId }
  await world.db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
  const client = new Client(world.url, owner.key)
  const make = <T = { id: string }>(path: string, data: Json) => client.done<T>('POST', path, { data })
  const { id: projectId } = await make('/projects', { givenId: 'shop', name: 'Shop' })
  const id = next()
  const repository: RepositoryAtA = {
    id,
    name: `acme/w${id}`,
    isPrivate: true,
    branches: ['main'],
    installations: [installation],
    heads: {},
    trees: {},
  }
  a.repositories.push(repository)
  const repoUrl = `https://${new URL(a.url).host}/${repository.name}`
  const installed = { githostaInstallationId: String(installation) }
  const source = await make<CodeSource>('/code-sources', { type: 'GITHOSTA', repoUrl, ...installed })
  const { id: serviceAccountId } = await make('/service-accounts', { name: 'files', role })
  return { owner, client, make, projectId, repository, source, serviceAccountId }
}
type Place = Awaited<ReturnType<typeof place>>

const watch = ({ make, projectId, source, serviceAccountId }: Place, more: Json = {}) =>
  make<WatchedRepository>('/watched-repositories', {
    projectId,
    codeSourceId: source.id,
    serviceAccountId,
    path: 'infra',
    apply: 'ON_MERGE',
    ...more,
  })

function commit({ repository }: Place, tree: Tree, branch = 'main'): string {
  const id = commitOf(next())
  repository.trees = { ...repository.trees, [id]: tree }
  repository.heads = { ...repository.heads, [branch]: id }
  return id
}

async function deliver(event: string, payload: Json): Promise<void> {
  const delivery = crypto.randomUUID()
  const { json, headers } = a.signed(event, payload, delivery)
  await new Client(world.url, '').send('POST', '/webhooks/githosta', { json, headers })
  await eventually(
    'the delivery to be done',
    () => world.db.select().from(gitDeliveries).where(eq(gitDeliveries.deliveryId, delivery)),
    ([row]) => row?.completedAt != null,
  )
}

async function push(own: Place, tree: Tree, changed = Object.keys(tree)): Promise<string> {
  const before = own.repository.heads?.main ?? commitOf(0)
  const after = commit(own, tree)
  const commits = [
    { id: after, added: changed, modified: [], removed: [], timestamp: '2026-01-02T03:04:05Z', message: 'x' },
  ]
  const repository = { id: own.repository.id }
  await deliver('push', {
    ref: 'refs/heads/main',
    before,
    after,
    repository,
    commits,
    head_commit: commits[0],
    pusher: { name: 'ada' },
    sender: { login: 'ada' },
  })
  return after
}

const watchedOf = ({ client }: Place, { id }: { id: string }) =>
  client.done<WatchedRepository>('GET', `/watched-repositories/${id}`)
const planOf = ({ client }: Place, { id }: { id: string }) =>
  client.done<WatchedRepositoryPlan>('GET', `/watched-repositories/${id}/plan`)

const until = (own: Place, one: { id: string }, status: WatchedRepository['status'], at?: string) =>
  eventually(
    `the watched repository to be ${status}`,
    () => watchedOf(own, one),
    (now) => now.status === status && (at === undefined || now.commit === at),
  )

const environmentsOf = async ({ client, projectId }: Place) =>
  (await client.done<Environment[]>('GET', `/environments?projectId=${projectId}`))
    .map(({ givenId }) => givenId)
    .toSorted()

test('a push is applied as the service account, and the project has the commit', async () => {
  const own = await place()
  commit(own, { 'infra/project.yaml': project('Shop') })
  const one = await watch(own)
  await until(own, one, 'APPLIED')

  const pushed = await push(own, {
    'infra/project.yaml': project('The shop'),
    'infra/env/staging.yaml': environment('staging'),
    'infra/.hidden/other.yaml': environment('hidden'),
    'elsewhere/production.yaml': environment('production'),
  })

  const now = await until(own, one, 'APPLIED', pushed)
  expect(now).toMatchObject({ appliedCommit: pushed, changeCount: 0, errorCount: 0 })
  expect(await environmentsOf(own)).toEqual(['staging'])
  const files = await own.client.done<{ appliedBy: string; source: { commit: string; url: string } }>(
    'GET',
    `/projects/${own.projectId}/files`,
  )
  expect(files).toMatchObject({
    appliedBy: 'files',
    source: { commit: pushed, url: `${a.url}/${own.source.repoName}/commit/${pushed}` },
  })
  const lines = await own.client.done<AuditEvent[]>('GET', '/audit-events?limit=100')
  const [made] = lines.filter(({ action }) => action === 'environments.create')
  expect(made).toMatchObject({ actorType: 'SERVICE_ACCOUNT', actorId: own.serviceAccountId })
  expect(lines).toContainEqual(
    expect.objectContaining({
      action: 'watched-repositories.apply-files',
      projectId: own.projectId,
      details: { commit: pushed, changes: 2 },
    }),
  )
})

test('a push to another branch or path has no effect', async () => {
  const own = await place()
  const first = commit(own, { 'infra/project.yaml': project('Shop') })
  const one = await watch(own)
  await until(own, one, 'APPLIED')
  await push(own, { 'infra/project.yaml': project('Other') }, ['README.md'])
  expect(await watchedOf(own, one)).toMatchObject({ commit: first, status: 'APPLIED' })
})

test('a plan waits for the approval of exactly that plan', async () => {
  const own = await place()
  commit(own, { 'infra/project.yaml': project('Shop'), 'infra/staging.yaml': environment('staging') })
  const one = await watch(own, { apply: 'AFTER_APPROVAL' })
  const asked = await until(own, one, 'PENDING_APPROVAL')
  expect(await planOf(own, one)).toMatchObject({
    planDigest: asked.planDigest,
    changes: [{ action: 'create', record: 'Environment staging' }],
    errors: [],
    isTruncated: false,
    isWithheld: false,
  })
  expect(await environmentsOf(own)).toEqual([])
  const apply = (planDigest: unknown, key = own.owner.key) =>
    new Client(world.url, key).send('POST', `/watched-repositories/${one.id}/apply`, {
      json: JSON.stringify({ data: { planDigest } }),
    })

  expect(await apply('another')).toMatchObject({ status: 409 })
  const viewer = await addMember(world.db, own.owner.organizationId, 'VIEWER')
  expect(await apply(asked.planDigest, viewer)).toMatchObject({ status: 403 })
  const pushed = await push(own, { 'infra/project.yaml': project('Shop'), 'infra/live.yaml': environment('live') })
  const anew = await until(own, one, 'PENDING_APPROVAL', pushed)
  expect(await apply(asked.planDigest)).toMatchObject({ status: 409 })

  expect(await apply(anew.planDigest)).toMatchObject({ status: 200 })
  const now = await until(own, one, 'APPLIED', pushed)
  expect(now.appliedCommit).toBe(pushed)
  expect(now).not.toHaveProperty('planDigest')
  expect(await environmentsOf(own)).toEqual(['live'])
})

test('errors in files are reported with their position, and nothing is applied', async () => {
  const own = await place()
  commit(own, {
    'infra/project.yaml': project('Other'),
    'infra/staging.yaml': `${environment('staging')}nonsense: true\n`,
    'infra/key.yaml': ['kind: DefaultValue', 'name: token', `value: $${'{env:TOKEN}'}`].join('\n'),
  })
  const one = await watch(own)
  const now = await until(own, one, 'INVALID')
  expect(now.errorCount).toBeGreaterThan(0)
  const { errors } = await planOf(own, one)
  expect(errors).toContainEqual(expect.objectContaining({ file: 'infra/staging.yaml', line: 3 }))
  expect(await own.client.done('GET', `/projects/${own.projectId}`)).toMatchObject({ name: 'Shop' })
})

test('files cannot do what the service account is not permitted to do', async () => {
  const own = await place({ role: 'VIEWER' })
  commit(own, { 'infra/project.yaml': project('Other') })
  const one = await watch(own)
  const now = await until(own, one, 'FAILED')
  expect(now.message).toMatch(/projects:write/)
  expect(await own.client.done('GET', `/projects/${own.projectId}`)).toMatchObject({ name: 'Shop' })
})

test('records that are in no file are removed if configured; those with state only after an approval', async () => {
  const own = await place()
  const rest = { 'infra/project.yaml': project('Shop') }
  const freeze =
    'kind: Freeze\nname: Night\nreason: Night.\nwindow: { cron: "0 22 * * *", timeZone: UTC, minutes: 60 }\nstops: [RELEASES]\n'
  commit(own, { ...rest, 'infra/staging.yaml': environment('staging'), 'infra/freeze.yaml': freeze })
  const one = await watch(own, { prune: true })
  await until(own, one, 'APPLIED')
  const pushed = await push(own, rest, ['infra/staging.yaml'])
  const asked = await until(own, one, 'PENDING_APPROVAL', pushed)
  const { changes } = await planOf(own, one)
  expect(changes).toMatchObject([{ action: 'remove', record: 'Environment staging' }])
  expect(await own.client.done('GET', `/freezes?projectId=${own.projectId}`)).toEqual([])
  expect(await environmentsOf(own)).toEqual(['staging'])
  await own.client.done('POST', `/watched-repositories/${one.id}/apply`, { data: { planDigest: asked.planDigest } })
  await until(own, one, 'APPLIED', pushed)
  expect(await environmentsOf(own)).toEqual([])
})

test('manual changes are reported by the next pass, and reverted on request', async () => {
  const own = await place()
  commit(own, { 'infra/project.yaml': project('Shop') })
  const one = await watch(own)
  await until(own, one, 'APPLIED')
  await own.client.done('PATCH', `/projects/${own.projectId}`, { data: { name: 'By hand' } })
  // Simulates the end of the hour.
  await world.db.update(watchedRepositories).set(dueBy(new Date())).where(eq(watchedRepositories.id, one.id))
  const drifted = await until(own, one, 'DRIFTED')
  // The same drift is reported only once.
  await own.client.done('POST', `/watched-repositories/${one.id}/check`)
  await eventually(
    'another look',
    () => watchedOf(own, one),
    (now) => now.status === 'DRIFTED' && (now.plannedAt ?? '') > (drifted.plannedAt ?? ''),
  )
  const events = () => own.client.done<{ payload: { data: Json } }[]>('GET', '/notification-events?types=files.drifted')
  await eventually('it to be told', events, ({ length }) => length > 0)
  expect((await events()).map(({ payload }) => payload.data)).toMatchObject([
    { watchedRepositoryId: one.id, project: { id: own.projectId }, commit: drifted.commit, changeCount: 1 },
  ])
  expect((await planOf(own, one)).changes).toEqual([
    { action: 'change', record: 'Project shop', differences: [{ path: 'title', before: 'By hand', after: 'Shop' }] },
  ])
  await own.client.done('POST', `/watched-repositories/${one.id}/apply`, { data: { planDigest: drifted.planDigest } })
  await until(own, one, 'APPLIED')
  expect(await own.client.done('GET', `/projects/${own.projectId}`)).toMatchObject({ name: 'Shop' })
})

/** Creates a pull request, with its event. */
async function request(
  own: Place,
  tree: Tree,
  { files = Object.keys(tree), action = 'opened', number = next(), isFork = false } = {},
) {
  const head = commit(own, tree, 'topic')
  a.files.splice(0, a.files.length, ...files.map((filename) => ({ filename })))
  await deliver('pull_request', {
    action,
    number,
    repository: { id: own.repository.id },
    sender: { login: 'ada' },
    pull_request: {
      state: action === 'closed' ? 'closed' : 'open',
      head: { ref: 'topic', sha: head, repo: { id: isFork ? 1 : own.repository.id } },
      base: { ref: 'main', sha: 'b'.repeat(40) },
    },
  })
  const comments = () => a.comments.filter((one) => one.number === number).map(({ body }) => String(body))
  const check = () => a.statuses.filter((one) => one.commit === head).at(-1)
  return { head, number, comments, check }
}

test('a pull request gets one comment with its changes, and its check fails if the files are invalid', async () => {
  const own = await place()
  const right = { 'infra/project.yaml': project('Shop') }
  commit(own, right)
  const one = await watch(own)
  await until(own, one, 'APPLIED')

  const first = await request(own, { ...right, 'infra/staging.yaml': environment('staging') })
  await eventually(
    'the comment',
    async () => first.comments(),
    ([text]) => text?.includes('+ Environment staging') === true,
  )
  expect(first.check()).toMatchObject({ state: 'success', context: 'sluice/shop/files' })
  expect(await environmentsOf(own)).toEqual([])

  const again = { action: 'synchronize', number: first.number }
  const second = await request(own, { ...right, 'infra/staging.yaml': 'kind: Environment\n' }, again)
  await eventually(
    'the comment to be another',
    async () => second.comments(),
    ([text]) => text?.includes('have errors') === true,
  )
  expect(second.comments()).toHaveLength(1)
  expect(second.check()).toMatchObject({ state: 'failure' })
  expect(second.comments()[0]).toContain('infra/staging.yaml:1:')
})

test('a pull request from a fork, into another branch, or with other files, gets no comment', async () => {
  const own = await place()
  const right = { 'infra/project.yaml': project('Shop') }
  commit(own, right)
  const one = await watch(own)
  await until(own, one, 'APPLIED')
  const fork = await request(own, { ...right, 'infra/a.yaml': environment('a') }, { isFork: true })
  const other = await request(own, { ...right, 'docs/a.yaml': environment('a') }, { files: ['docs/a.yaml'] })
  const meant = await request(own, { ...right, 'infra/b.yaml': environment('b') })
  await eventually(
    'the comment',
    async () => meant.comments(),
    ({ length }) => length > 0,
  )
  expect([...fork.comments(), ...other.comments()]).toEqual([])
})

test('only a user who can act for the service account configures it, and a project has one watched repository', async () => {
  const own = await place()
  commit(own, { 'infra/project.yaml': project('Shop') })
  const one = await watch(own)
  const admin = new Client(world.url, await addMember(world.db, own.owner.organizationId, 'ADMIN'))
  const wish = { projectId: own.projectId, codeSourceId: own.source.id, serviceAccountId: own.serviceAccountId }
  expect(await admin.send('POST', '/watched-repositories', { json: JSON.stringify({ data: wish }) })).toMatchObject({
    status: 403,
  })
  expect(
    await admin.send('PATCH', `/watched-repositories/${one.id}`, { json: JSON.stringify({ data: { path: '' } }) }),
  ).toMatchObject({
    status: 403,
  })
  expect(
    await own.client.send('POST', '/watched-repositories', { json: JSON.stringify({ data: wish }) }),
  ).toMatchObject({ status: 409 })
  for (const path of ['/', 'a/../b', '..', 'a//b', 'a/']) {
    const answer = await own.client.send('PATCH', `/watched-repositories/${one.id}`, {
      json: JSON.stringify({ data: { path } }),
    })
    expect(answer.status, path).toBe(400)
  }
})

test('a user who cannot see a whole project does not get its plan', async () => {
  const own = await place()
  const secret = `${environment('secret')}visibility: MEMBERS\n`
  commit(own, { 'infra/project.yaml': project('Shop'), 'infra/secret.yaml': secret })
  const one = await watch(own)
  await until(own, one, 'APPLIED')
  const viewer = new Client(world.url, await addMember(world.db, own.owner.organizationId, 'VIEWER'))
  const plan = await viewer.done<WatchedRepositoryPlan>('GET', `/watched-repositories/${one.id}/plan`)
  expect(plan).toMatchObject({ isWithheld: true, changes: [], errors: [] })
})

test('an exponential expansion of aliases is stopped without a change', async () => {
  const own = await place()
  const bomb = [
    'a: &a [x]',
    ...Array.from(
      { length: 9 },
      (_, at) =>
        `k${at}: &b${at} [${Array(9)
          .fill(`*${at === 0 ? 'a' : `b${at - 1}`}`)
          .join(', ')}]`,
    ),
  ]
  commit(own, { 'infra/project.yaml': project('Shop'), 'infra/bomb.yaml': `kind: Project\n${bomb.join('\n')}\n` })
  const one = await watch(own)
  const now = await eventually(
    'an end',
    () => watchedOf(own, one),
    ({ status }) => status !== 'PLANNING',
  )
  expect(['INVALID', 'FAILED']).toContain(now.status)
})

test('a config in files is published once, regardless of the number of passes', async () => {
  const own = await place()
  const release = 'kind: Pipeline\nname: release\nconfig:\n  steps:\n    - { id: ask, type: approval }\n'
  commit(own, { 'infra/project.yaml': project('Shop'), 'infra/release.yaml': release })
  const one = await watch(own)
  await until(own, one, 'APPLIED')
  await own.client.done('POST', `/watched-repositories/${one.id}/check`)
  await eventually(
    'the look',
    () => watchedOf(own, one),
    (now) => (now.plannedAt ?? '') > (one.plannedAt ?? ''),
  )
  const [pipeline] = await own.client.done<Pipeline[]>('GET', `/pipelines?projectId=${own.projectId}`)
  expect(await own.client.done('GET', `/pipeline-versions?pipelineId=${pipeline?.id}`)).toHaveLength(1)
})
