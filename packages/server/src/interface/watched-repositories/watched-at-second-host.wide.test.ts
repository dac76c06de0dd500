import type { CodeSource, Environment, WatchedRepository, WatchedRepositoryPlan } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeGitHostB, type ProjectAtB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakeB } from '../../git/adapter/fakes/settings.fixture.ts'
import { gitDeliveries } from '../../pipelines/git-deliveries/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { startWorld, type World } from '../../testing/world.ts'

type Json = Record<string, unknown>
type Tree = Record<string, string>

let b: FakeGitHostB
let world: World
let last = 0
const next = () => ++last
const commitOf = (number: number) => number.toString(16).padStart(40, '0')

beforeAll(async () => {
  b = await startFakeGitHostB()
  world = await startWorld({ env: { ...settingsOfFakeB(b), SLUICE_PUBLIC_URL: 'https://sluice.example' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await b?.close()
})

const project = (title: string) => `kind: Project\nname: shop\ntitle: ${title}\n`
const environment = (name: string) => `kind: Environment\nname: ${name}\n`
const right = { 'infra/project.yaml': project('Shop') }

/** Creates a project with a watched repository at the second host. */
async function place(files: Tree, wishes: Json = {}) {
  const owner = await seedOrganization(world.db)
  const client = new Client(world.url, owner.key)
  const make = <T = { id: string }>(path: string, data: Json) => client.done<T>('POST', path, { data })
  const id = next()
  const repository: ProjectAtB = { id, name: `team/w${id}`, visibility: 'private', branches: ['main'], members: [id] }
  b.projects.push(repository)
  commit(repository, files)
  const cookie = await signIn(world.db, owner)
  const url = await beginAtHost({ url: world.url, cookie }, '/githostb-connections')
  const state = new URL(url).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, code: b.agree(url, id) })
  await fetch(`${world.url}/git-host-b/callback?${query}`, { redirect: 'manual', headers: { cookie } })
  const [connection] = await client.done<{ id: string }[]>('GET', '/githostb-connections')
  const repoUrl = `https://${new URL(b.url).host}/${repository.name}`
  const data = { type: 'GITHOSTB', repoUrl, githostbConnectionId: connection?.id }
  const source = await make<CodeSource>('/code-sources', data)
  const { secret } = await client.done<{ secret: string }>('POST', `/code-sources/${source.id}/webhook-secret`)
  const { id: projectId } = await make('/projects', { givenId: 'shop', name: 'Shop' })
  const { id: serviceAccountId } = await make('/service-accounts', { name: 'files', role: 'ADMIN' })
  const watched = await make<WatchedRepository>('/watched-repositories', {
    projectId,
    codeSourceId: source.id,
    serviceAccountId,
    path: 'infra',
    apply: 'ON_MERGE',
    ...wishes,
  })
  return { client, repository, source, secret, projectId, watched }
}
type Place = Awaited<ReturnType<typeof place>>

function commit(repository: ProjectAtB, tree: Tree, branch = 'main'): string {
  const id = commitOf(next())
  repository.trees = { ...repository.trees, [id]: tree }
  repository.heads = { ...repository.heads, [branch]: id }
  return id
}

async function deliver({ source, secret }: Place, event: Json): Promise<void> {
  const uuid = crypto.randomUUID()
  const headers = { 'x-gitlab-event-uuid': uuid, 'x-gitlab-token': secret }
  const json = JSON.stringify(event)
  await new Client(world.url, '').send('POST', `/webhooks/githostb/${source.id}`, { json, headers })
  await eventually(
    'the delivery to be done',
    () => world.db.select().from(gitDeliveries).where(eq(gitDeliveries.deliveryId, uuid)),
    ([row]) => row?.completedAt != null,
  )
}

async function push(own: Place, tree: Tree): Promise<string> {
  const before = own.repository.heads?.main
  const after = commit(own.repository, tree)
  await deliver(own, {
    object_kind: 'push',
    ref: 'refs/heads/main',
    before,
    after,
    user_username: 'ada',
    project: { id: own.repository.id },
    total_commits_count: 1,
    commits: [{ id: after, added: Object.keys(tree), modified: [], removed: [] }],
  })
  return after
}

/** Creates a merge request with these files, with its event. */
async function request(own: Place, tree: Tree, { number = next(), action = 'open', isFork = false, before = '' } = {}) {
  const { id } = own.repository
  const head = commit(own.repository, tree, 'topic')
  b.diffs.splice(0, b.diffs.length, ...Object.keys(tree).map((path) => ({ old_path: path, new_path: path })))
  await deliver(own, {
    object_kind: 'merge_request',
    project: { id },
    user: { username: 'ada' },
    object_attributes: {
      iid: number,
      action,
      state: 'opened',
      source_branch: 'topic',
      target_branch: 'main',
      source_project_id: isFork ? id + 1000 : id,
      target_project_id: id,
      last_commit: { id: head },
      ...(before !== '' && { oldrev: before }),
    },
  })
  const notes = () => b.notes.filter(({ iid }) => iid === number).map(({ body }) => String(body))
  const check = () => b.statuses.findLast((one) => one.commit === head)
  return { head, number, notes, check }
}

const until = ({ client, watched: { id } }: Place, status: WatchedRepository['status'], at?: string) =>
  eventually(
    `the watched repository to be ${status}`,
    () => client.done<WatchedRepository>('GET', `/watched-repositories/${id}`),
    (now) => now.status === status && (at === undefined || now.commit === at),
  )

const environmentsOf = async ({ client, projectId }: Place) =>
  (await client.done<Environment[]>('GET', `/environments?projectId=${projectId}`)).map(({ givenId }) => givenId)

test('a merge request gets one note with its changes and a check, and is applied after the merge', async () => {
  const own = await place(right)
  await until(own, 'APPLIED')

  const wished = { ...right, 'infra/staging.yaml': environment('staging') }
  const first = await request(own, wished)
  await eventually(
    'the note',
    async () => first.notes(),
    ([text]) => text?.includes('+ Environment staging') === true,
  )
  expect(first.check()).toMatchObject({ state: 'success', name: 'sluice/shop/files' })
  expect(await environmentsOf(own)).toEqual([])

  const wrong = { ...right, 'infra/staging.yaml': 'kind: Environment\n' }
  const second = await request(own, wrong, { number: first.number, action: 'update', before: first.head })
  await eventually(
    'the note to be another',
    async () => second.notes(),
    ([text]) => text?.includes('have errors') === true,
  )
  expect(second.notes()).toHaveLength(1)
  expect(second.notes()[0]).toContain('infra/staging.yaml:1:')
  expect(second.check()).toMatchObject({ state: 'failed', name: 'sluice/shop/files' })

  const merged = await push(own, wished)
  expect(await until(own, 'APPLIED', merged)).toMatchObject({ appliedCommit: merged })
  expect(await environmentsOf(own)).toEqual(['staging'])
  const files = await own.client.done('GET', `/projects/${own.projectId}/files`)
  expect(files).toMatchObject({ source: { commit: merged, url: `${b.url}/${own.source.repoName}/-/commit/${merged}` } })
})

test("a reset of the branch, without commits in the host's event, applies the earlier files", async () => {
  const own = await place(right)
  await until(own, 'APPLIED')
  const before = own.repository.heads?.main
  const after = await push(own, { 'infra/project.yaml': project('Store') })
  await until(own, 'APPLIED', after)
  own.repository.heads = { ...own.repository.heads, main: String(before) }
  own.repository.comparisons = { [`${after}..${before}`]: ['infra/project.yaml'] }
  await deliver(own, {
    object_kind: 'push',
    ref: 'refs/heads/main',
    before: after,
    after: before,
    user_username: 'ada',
    project: { id: own.repository.id },
    total_commits_count: 0,
    commits: [],
  })
  await until(own, 'APPLIED', before)
  expect(await own.client.done('GET', `/projects/${own.projectId}`)).toMatchObject({ name: 'Shop' })
})

test('a merge request from a fork, or with other files, gets no note', async () => {
  const own = await place(right)
  await until(own, 'APPLIED')
  const fork = await request(own, { ...right, 'infra/a.yaml': environment('a') }, { isFork: true })
  const other = await request(own, { 'docs/a.yaml': environment('a') })
  const meant = await request(own, { ...right, 'infra/b.yaml': environment('b') })
  await eventually(
    'the note',
    async () => meant.notes(),
    ({ length }) => length > 0,
  )
  expect([...fork.notes(), ...other.notes()]).toEqual([])
})

test('a merged plan waits for the approval of its commit', async () => {
  const own = await place(right, { apply: 'AFTER_APPROVAL' })
  await until(own, 'APPLIED')
  const merged = await push(own, { ...right, 'infra/live.yaml': environment('live') })
  const asked = await until(own, 'PENDING_APPROVAL', merged)
  const plan = await own.client.done<WatchedRepositoryPlan>('GET', `/watched-repositories/${own.watched.id}/plan`)
  expect(plan.changes).toMatchObject([{ action: 'create', record: 'Environment live' }])
  expect(await environmentsOf(own)).toEqual([])
  const data = { planDigest: asked.planDigest }
  await own.client.done('POST', `/watched-repositories/${own.watched.id}/apply`, { data })
  await until(own, 'APPLIED', merged)
  expect(await environmentsOf(own)).toEqual(['live'])
})

test('an error of the host is retried, and the project stays unchanged', async () => {
  const own = await place(right)
  await until(own, 'APPLIED')
  own.repository.members.splice(0)
  await push(own, { ...right, 'infra/live.yaml': environment('live') })
  const failed = await until(own, 'FAILED')
  expect(failed.message).toBeTruthy()
  expect(await environmentsOf(own)).toEqual([])
  own.repository.members.push(own.repository.id)
  await own.client.done('POST', `/watched-repositories/${own.watched.id}/check`)
  await until(own, 'APPLIED')
  expect(await environmentsOf(own)).toEqual(['live'])
})
