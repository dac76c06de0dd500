import type { CodeSource, PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../git/adapter/fakes/settings.fixture.ts'
import type { HostEvent } from '../../git/adapter/host.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { Pipelines } from '../../testing/pipelines.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { gitFeedback } from '../git-feedback/tables.ts'
import { iacPlans } from '../iac-plans/tables.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { forgetDeliveries } from './store.ts'
import { gitDeliveries } from './tables.ts'

let a: FakeGitHostA
let b: FakeGitHostB
let world: World

beforeAll(async () => {
  ;[a, b] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  a.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
  world = await startWorld({ env: { ...settingsOfFakes(a, b), SLUICE_PUBLIC_URL: 'https://sluice.example' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close()])
})

let last = 100
const next = () => ++last
const commitOf = (number: number) => number.toString(16).padStart(40, '0')

/** Ends at once, without a runner. */
const done = { id: 'ask', type: 'approval', when: false }
/** Waits for a person. */
const gate = { id: 'ask', type: 'approval' }

/** An organization that may use the installation, with a project for pipelines. */
async function organization() {
  const owner = await seedOrganization(world.db)
  const { organizationId, membershipId, key } = owner
  const client = new Client(world.url, key)
  const claimed = { githostaInstallationId: '7', accountName: 'acme', claimedById: membershipId }
  await world.db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
  const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  return { owner, organizationId, client, projectId: project.id, pipelines: new Pipelines(client, project.id) }
}
type Organization = Awaited<ReturnType<typeof organization>>

function repositoryAtA() {
  const id = next()
  const repository = { id, name: `acme/r${id}`, isPrivate: true, branches: ['main'], installations: [7] }
  a.repositories.push(repository)
  return repository
}

const connectA = ({ client }: Organization, { name }: { name: string }) =>
  client.done<CodeSource>('POST', '/code-sources', {
    data: { type: 'GITHOSTA', repoUrl: `https://${new URL(a.url).host}/${name}`, githostaInstallationId: '7' },
  })

/** A pipeline that waits for pushes to main. */
const waiting = ({ pipelines }: Organization, source: CodeSource, trigger: object = {}, step: object = done) =>
  pipelines.create({
    steps: [step],
    triggers: [{ type: 'push', code_source_id: source.id, branches: ['main'], ...trigger }],
  })

const noFiles = { added: [], modified: [], removed: [] }

const pushOf = (id: number, change: object = {}) => ({
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: commitOf(next()),
  repository: { id },
  pusher: { name: 'ada' },
  commits: [{ added: ['src/a.ts'], modified: [], removed: [] }],
  ...change,
})

function deliver({ json, headers }: { json: string; headers: Record<string, string> }) {
  return new Client(world.url, '').send('POST', '/webhooks/githosta', { json, headers })
}

const runsOf = ({ client }: Organization, { id }: { id: string }) =>
  client.done<PipelineRun[]>('GET', `/pipeline-runs?pipelineId=${id}`)
const firstRun = async (of: Organization, pipeline: { id: string }) => {
  const [run] = await eventually(
    'a run',
    () => runsOf(of, pipeline),
    (runs) => runs.length > 0,
  )
  if (!run) throw new Error('there is no run')
  return run
}
const deliveriesOf = (deliveryId: string) =>
  world.db.select().from(gitDeliveries).where(eq(gitDeliveries.deliveryId, deliveryId))
const processed = (deliveryId: string) =>
  eventually(
    'the delivery to be done',
    () => deliveriesOf(deliveryId),
    ([row]) => row?.completedAt != null,
  )

describe.concurrent('a push', () => {
  test('starts the pipelines that wait for it, once, however often it is delivered', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const [wanted, others, elsewhere] = [
      await waiting(own, source, { paths: ['src/**'] }),
      await waiting(own, source, { paths: ['docs/**'] }),
      await waiting(own, source, { branches: ['release/*'] }),
    ]
    const delivery = crypto.randomUUID()
    const push = pushOf(repository.id)
    const signed = a.signed('push', push, delivery)

    const answers = await Promise.all([deliver(signed), deliver(signed), deliver(signed)])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    await processed(delivery)
    expect((await deliver(signed)).status).toBe(202)
    expect(await deliveriesOf(delivery)).toHaveLength(1)
    expect(await runsOf(own, wanted)).toMatchObject([{ triggerSource: 'PUSH', triggeredBy: 'ada, by a push to main' }])
    expect([...(await runsOf(own, others)), ...(await runsOf(own, elsewhere))]).toEqual([])
  })

  test('that somebody caught and sends once more under another name starts nothing', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository))
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push, first))
    await processed(first)
    expect((await deliver(a.signed('push', push, second))).status).toBe(202)
    expect(await deliveriesOf(second)).toEqual([])
    expect(await runsOf(own, pipeline)).toHaveLength(1)
  })

  test('is everybody’s who connected the repository, and nobody else’s', async () => {
    const [mine, theirs, stranger] = [await organization(), await organization(), await organization()]
    const repository = repositoryAtA()
    const here = await waiting(mine, await connectA(mine, repository))
    const there = await waiting(theirs, await connectA(theirs, repository))
    const nowhere = await waiting(stranger, await connectA(stranger, repositoryAtA()))
    const former = await organization()
    const left = await waiting(former, await connectA(former, repository))
    const ofFormer = eq(githostaInstallations.organizationId, former.organizationId)
    await world.db.delete(githostaInstallations).where(ofFormer)
    const delivery = crypto.randomUUID()
    await deliver(a.signed('push', pushOf(repository.id), delivery))
    await processed(delivery)
    expect(await runsOf(mine, here)).toHaveLength(1)
    expect(await runsOf(theirs, there)).toHaveLength(1)
    expect(await runsOf(stranger, nowhere)).toEqual([])
    expect(await runsOf(former, left)).toEqual([])
  })

  test('that nobody signed with our secret is turned away', async () => {
    const repository = repositoryAtA()
    const delivery = crypto.randomUUID()
    const push = pushOf(repository.id)
    const { json, headers } = a.signed('push', push, delivery)
    const wrong = { status: 401, body: { code: 'Sluice:Git:WEBHOOK_PROOF_WRONG' } }
    expect(await deliver(a.signed('push', push, delivery, 'another secret'))).toMatchObject(wrong)
    expect(await deliver({ json: json.replace('main', 'evil'), headers })).toMatchObject(wrong)
    const { 'x-hub-signature-256': _, ...unsigned } = headers
    expect(await deliver({ json, headers: unsigned })).toMatchObject(wrong)
    expect(await deliveriesOf(delivery)).toEqual([])
  })

  test('of more than the host lists is looked up, and by its word alone starts what waits for a path', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), { paths: ['deep/**'] })
    a.files.push({ filename: 'deep/file' })
    const commits = Array(2_048).fill(noFiles)
    const delivery = crypto.randomUUID()
    await deliver(a.signed('push', pushOf(repository.id, { commits }), delivery))
    await processed(delivery)
    expect(await runsOf(own, pipeline)).toHaveLength(1)
    expect(a.requests.some(({ path }) => path.includes(`${repository.name}/compare/`))).toBe(true)
  })

  test('that the engine was not told of is found', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const pipeline = await waiting(own, source)
    const push: HostEvent = {
      kind: 'push',
      gitRepositoryId: String(repository.id),
      branch: 'main',
      before: null,
      commit: commitOf(next()),
      changedPaths: [],
      pushedBy: 'ada',
    }
    const events = [push]
    const row = { id: newId('gdl'), sender: 'githosta', deliveryId: newId('gdl'), events, wakeAt: new Date(0) }
    await world.db.insert(gitDeliveries).values(row)
    expect(await firstRun(own, pipeline)).toMatchObject({ triggerSource: 'PUSH' })
  })

  test('is answered while the host is silent', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), { paths: ['deep/**'] })
    a.order({ on: `${repository.name}/compare/`, answer: 'nothing' })
    const begun = performance.now()
    await deliver(a.signed('push', pushOf(repository.id, { commits: Array(2_048).fill(noFiles) })))
    expect(performance.now() - begun).toBeLessThan(5_000) // the host is waited for twice as long, and not by this
    // Nobody knows what was changed, so it may be what the pipeline waits for.
    expect(await firstRun(own, pipeline)).toMatchObject({ triggerSource: 'PUSH' })
  })
})

test('access comes and goes with the installation', async () => {
  const own = await organization()
  const [one, two] = [repositoryAtA(), repositoryAtA()]
  const sources = [await connectA(own, one), await connectA(own, two)]
  const lost = async () =>
    Promise.all(
      sources.map(async ({ id }) => (await own.client.done<CodeSource>('GET', `/code-sources/${id}`)).accessLost),
    )
  const told = async (event: string, payload: object, expected: boolean[]) => {
    await deliver(a.signed(event, payload))
    await eventually('the access to change', lost, (seen) => JSON.stringify(seen) === JSON.stringify(expected))
  }
  const installation = { id: 7 }
  await told('installation', { action: 'suspend', installation }, [true, true])
  await told('installation', { action: 'unsuspend', installation }, [false, false])
  const change = { installation, repositories_added: [], repositories_removed: [{ id: one.id }] }
  await told('installation_repositories', change, [true, false])
  await told('installation', { action: 'deleted', installation }, [true, true])
  await told('installation', { action: 'created', installation }, [false, false])
})

describe.concurrent('the host is told of a run', () => {
  const statusesOf = (commit: string) => a.statuses.filter((status) => status.commit === commit)
  const untilTold = (commit: string, state: string) =>
    eventually(
      `${state} at the commit`,
      async () => statusesOf(commit),
      (told) => told.at(-1)?.state === state,
    )

  test('as it goes on', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    const [told] = await untilTold(push.after, 'pending')
    expect(told).toMatchObject({
      context: `sluice/shop/${pipeline.givenId}`,
      target_url: `https://sluice.example/console/runs/${run.id}`,
    })
    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    expect((await untilTold(push.after, 'failure')).at(-1)).toMatchObject({ description: 'Was cancelled' })
  })

  test('again when it could not be told, and the run does not wait for it', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository))
    const push = pushOf(repository.id)
    a.order({ on: `/statuses/${push.after}`, answer: { status: 503, headers: { 'retry-after': '1' } }, times: 2 })
    await deliver(a.signed('push', push))
    await own.pipelines.untilOver((await firstRun(own, pipeline)).id)
    await untilTold(push.after, 'success')
  })

  test('no more when it does not want to hear', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository))
    const push = pushOf(repository.id)
    const body = { message: 'Resource not accessible by integration' }
    a.order({ on: `/statuses/${push.after}`, answer: { status: 403, body } })
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    const rows = () => world.db.select().from(gitFeedback).where(eq(gitFeedback.pipelineRunId, run.id))
    const [row] = await eventually('it to be given up', rows, ([one]) => one?.wakeAt === null)
    expect(row).toMatchObject({ failure: expect.stringContaining('not accessible'), toldStatus: null })
    expect(statusesOf(push.after)).toEqual([])
  })

  test('by one comment at its pull request, with the plan, also when that is opened later', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const number = next()
    const comments = () => a.comments.filter((comment) => comment.number === number)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    await untilTold(push.after, 'pending')
    await planFor(own, run)
    expect(comments()).toEqual([])

    const head = { ref: 'main', sha: push.after }
    a.pulls.push({ number, state: 'open', head })
    const opened = { number, repository: { id: repository.id }, pull_request: { state: 'open', head } }
    await deliver(a.signed('pull_request', opened))
    const [comment] = await eventually(
      'a comment',
      async () => comments(),
      (all) => all.length > 0,
    )
    expect(comment?.body).toContain('| Network &#60;b&#62; | 2 to create, 1 to replace |')
    expect(comment?.body).toContain(`(https://sluice.example/console/runs/${run.id})`)

    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    await eventually(
      'the comment to change',
      async () => String(comments()[0]?.body),
      (text) => text.includes('Was cancelled'),
    )
    expect(comments()).toHaveLength(1)
  })
})

/** A plan of the run's step, as the iac tool's work stores it. */
async function planFor({ organizationId, projectId }: Organization, run: PipelineRun): Promise<void> {
  const [step] = await world.db
    .select()
    .from(pipelineStepExecutions)
    .where(eq(pipelineStepExecutions.pipelineRunId, run.id))
  const stackId = newId('stk')
  await world.db
    .insert(stacks)
    .values({ id: stackId, organizationId, projectId, givenId: 'network', name: 'Network <b>' })
  await world.db.insert(iacPlans).values({
    id: newId('iap'),
    organizationId,
    stackId,
    pipelineRunId: run.id,
    stepExecutionId: step?.id ?? '',
    kind: 'PLAN',
    status: 'PLANNED',
    hasChanges: true,
    summary: { changeCounts: { CREATE: 2, REPLACE: 1, NO_OP: 5 }, driftedCount: 0 },
    tool: 'iac',
    toolVersion: '1',
    source: {},
    configDigest: '',
    inputsDigest: '',
  })
}

describe('the second host', () => {
  test('is taken at its word with the secret of the code source, about its repository alone', async () => {
    const own = await organization()
    const id = next()
    b.projects.push({ id, name: `team/p${id}`, visibility: 'private', branches: ['main'], members: [id] })
    const cookie = await signIn(world.db, own.owner)
    const url = await beginAtHost({ url: world.url, cookie }, '/githostb-connections')
    const state = new URL(url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: b.agree(url, id) })
    await fetch(`${world.url}/git-host-b/callback?${query}`, { redirect: 'manual', headers: { cookie } })
    const [connection] = await own.client.done<{ id: string }[]>('GET', '/githostb-connections')
    const repoUrl = `https://${new URL(b.url).host}/team/p${id}`
    const data = { type: 'GITHOSTB', repoUrl, githostbConnectionId: connection?.id }
    const source = await own.client.done<CodeSource>('POST', '/code-sources', { data })
    const pipeline = await waiting(own, source)
    const made = await own.client.done<{ secret: string }>('POST', `/code-sources/${source.id}/webhook-secret`)

    const send = (
      token: string | undefined,
      projectId: number,
      uuid = crypto.randomUUID(),
      after = commitOf(next()),
    ) => {
      const push = {
        object_kind: 'push',
        ref: 'refs/heads/main',
        before: 'b'.repeat(40),
        after,
        user_username: 'ada',
        project: { id: projectId },
        total_commits_count: 1,
        commits: [{ added: ['a'], modified: [], removed: [] }],
      }
      const headers = { 'x-gitlab-event-uuid': uuid, ...(token !== undefined && { 'x-gitlab-token': token }) }
      return new Client(world.url, '').send('POST', `/webhooks/githostb/${source.id}`, {
        json: JSON.stringify(push),
        headers,
      })
    }
    for (const token of [undefined, '', 'forged', `${made.secret}x`]) expect((await send(token, id)).status).toBe(401)
    const aboutAnother = crypto.randomUUID()
    expect((await send(made.secret, id + 1, aboutAnother)).status).toBe(202)
    await processed(aboutAnother)
    expect(await runsOf(own, pipeline)).toEqual([])

    const uuid = crypto.randomUUID()
    expect([(await send(made.secret, id, uuid)).status, (await send(made.secret, id, uuid)).status]).toEqual([202, 202])
    await own.pipelines.untilOver((await firstRun(own, pipeline)).id)
    await eventually(
      'the status',
      async () => b.statuses.at(-1)?.state,
      (told) => told === 'success',
    )
    expect(await runsOf(own, pipeline)).toHaveLength(1)

    const [again, commit] = [crypto.randomUUID(), commitOf(next())]
    expect((await send(made.secret, id, crypto.randomUUID(), commit)).status).toBe(202)
    expect((await send(made.secret, id, again, commit)).status).toBe(202)
    expect(await deliveriesOf(again)).toEqual([])
    await forgetDeliveries(world.db, new Date(Date.now() + 86_401_000))
    expect((await send(made.secret, id, again, commit)).status).toBe(202)
    expect(await deliveriesOf(again)).toHaveLength(1)

    await own.client.done('POST', `/code-sources/${source.id}/webhook-secret`)
    expect((await send(made.secret, id)).status).toBe(401)
    await world.db.update(codeSources).set({ webhookSecretHash: null }).where(eq(codeSources.id, source.id))
    expect((await send('', id)).status).toBe(401)
  })
})
