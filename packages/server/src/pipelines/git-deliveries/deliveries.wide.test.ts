import type { CodeSource, PipelineRun, ReleaseNotes } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DeploymentRow, deployments } from '../../delivery/deployments/store/tables.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../git/adapter/fakes/settings.fixture.ts'
import type { HostEvent } from '../../git/adapter/host.ts'
import { findCodeSourceAt } from '../../git/code-sources/store.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { Pipelines } from '../../testing/pipelines.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { reportBuildToHost } from '../builds/report-to-host.ts'
import { canCreateInTime, endCheckCreation, leaseCheckCreation } from '../git-feedback/store.ts'
import { gitFeedback } from '../git-feedback/tables.ts'
import { endLease, hasUnreported, isLeaseLongEnough, leaseCreation, retireReleases } from '../git-releases/store.ts'
import { gitReleases } from '../git-releases/tables.ts'
import { iacPlans } from '../iac-plans/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { deleteExpiredDeliveries } from './store.ts'
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

/** Step that ends at once, without a runner. */
const done = { id: 'ask', type: 'approval', when: false }
/** Step that waits for a user. */
const gate = { id: 'ask', type: 'approval' }

/** Creates an organization that uses the installation, with a project for pipelines. */
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

/** Connects a project of the second host on behalf of one of its users. */
async function connectB({ owner, client }: Organization) {
  const id = next()
  b.projects.push({ id, name: `team/p${id}`, visibility: 'private', branches: ['main'], members: [id] })
  const cookie = await signIn(world.db, owner)
  const url = await beginAtHost({ url: world.url, cookie }, '/githostb-connections')
  const state = new URL(url).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, code: b.agree(url, id) })
  await fetch(`${world.url}/git-host-b/callback?${query}`, { redirect: 'manual', headers: { cookie } })
  const [connection] = await client.done<{ id: string }[]>('GET', '/githostb-connections')
  const repoUrl = `https://${new URL(b.url).host}/team/p${id}`
  const data = { type: 'GITHOSTB', repoUrl, githostbConnectionId: connection?.id }
  return { id, source: await client.done<CodeSource>('POST', '/code-sources', { data }) }
}

/** Creates a pipeline with a trigger for pushes to main. */
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
  test('starts the matching pipelines once, regardless of the number of deliveries', async () => {
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

  test('of a tag, and a pull request, start the matching pipelines, except from a fork', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const waiting = (trigger: object) =>
      own.pipelines.create({ steps: [done], triggers: [{ code_source_id: source.id, ...trigger }] })
    const ofTags = await waiting({ type: 'push', tags: ['v*'] })
    const ofRequests = await waiting({ type: 'pull_request', branches: ['main'] })
    const ofBranches = await waiting({ type: 'push' })
    const tag = pushOf(repository.id, {
      ref: 'refs/tags/v1.0.0',
      commits: [],
      head_commit: { id: commitOf(7), ...noFiles },
    })
    const request = (repo: object) => ({
      action: 'opened',
      number: 5,
      repository: { id: repository.id },
      sender: { login: 'ada' },
      pull_request: {
        state: 'open',
        base: { ref: 'main', sha: commitOf(8) },
        head: { ref: 'cart', sha: commitOf(next()), repo },
      },
    })
    const deliveries = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    await deliver(a.signed('push', tag, deliveries[0]))
    await deliver(a.signed('pull_request', request({ id: repository.id }), deliveries[1]))
    await deliver(a.signed('pull_request', request({ id: next() }), deliveries[2]))
    await Promise.all(deliveries.map(processed))

    expect(await runsOf(own, ofTags)).toMatchObject([{ triggeredBy: 'ada, by the tag v1.0.0' }])
    expect(await runsOf(own, ofRequests)).toMatchObject([{ triggeredBy: 'ada, by the pull request 5' }])
    expect(await runsOf(own, ofBranches)).toEqual([])
  })

  test('that an attacker replays under another delivery id starts nothing', async () => {
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

  test('concerns every organization that connected the repository, and no other', async () => {
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

  test('without a valid signature is rejected', async () => {
    const repository = repositoryAtA()
    const delivery = crypto.randomUUID()
    const push = pushOf(repository.id)
    const { json, headers } = a.signed('push', push, delivery)
    const wrong = { status: 401, body: { code: 'Sluice:Git:WEBHOOK_SIGNATURE_INVALID' } }
    expect(await deliver(a.signed('push', push, delivery, 'another secret'))).toMatchObject(wrong)
    expect(await deliver({ json: json.replace('main', 'evil'), headers })).toMatchObject(wrong)
    const { 'x-hub-signature-256': _, ...unsigned } = headers
    expect(await deliver({ json, headers: unsigned })).toMatchObject(wrong)
    expect(await deliveriesOf(delivery)).toEqual([])
  })

  test('with more commits than the host lists is looked up, and starts pipelines with a matching path', async () => {
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

  test('that removes commits starts pipelines with paths that these changed', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const waitingFor = (path: string) => waiting(own, source, { paths: [path] })
    const [added, dropped, other] = [await waitingFor('added'), await waitingFor('dropped'), await waitingFor('other')]
    const push = pushOf(repository.id, { forced: true, commits: [] })
    const { before, after } = push
    Object.assign(repository, {
      comparisons: {
        [`${before}...${after}`]: { status: 'diverged', files: [{ filename: 'added' }] },
        [`${after}...${before}`]: { status: 'diverged', files: [{ filename: 'dropped' }] },
      },
    })
    const delivery = crypto.randomUUID()
    await deliver(a.signed('push', push, delivery))
    await processed(delivery)
    expect(await runsOf(own, added), 'pushedPathsOf must ask the host where it lists no commits').toHaveLength(1)
    expect(await runsOf(own, dropped), 'pushedPaths must compare in both directions').toHaveLength(1)
    expect(await runsOf(own, other)).toEqual([])
  })

  test('that the host cannot describe starts pipelines with any path', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), { paths: ['deep/**'] })
    const delivery = crypto.randomUUID()
    await deliver(a.signed('push', pushOf(repository.id, { before: '0'.repeat(40), commits: [] }), delivery))
    await processed(delivery)
    expect(await runsOf(own, pipeline)).toHaveLength(1)
  })

  test('to a renamed or transferred repository starts pipelines under both addresses', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const pipeline = await waiting(own, source)
    const former = { repoName: repository.name, repoUrl: source.repoUrl }
    const name = `corp/renamed-${repository.id}`
    Object.assign(repository, { name, formerNames: [former.repoName] })
    const delivery = crypto.randomUUID()
    await deliver(
      a.signed('push', pushOf(repository.id, { repository: { id: repository.id, full_name: name } }), delivery),
    )
    await processed(delivery)
    expect(await runsOf(own, pipeline)).toHaveLength(1)
    const repoUrl = former.repoUrl.replace(former.repoName, name)
    expect(await own.client.done<CodeSource>('GET', `/code-sources/${source.id}`)).toMatchObject({
      repoName: name,
      repoUrl,
    })
    for (const address of [former.repoUrl, repoUrl]) {
      expect((await findCodeSourceAt(world.db, own.organizationId, address))?.id, address).toBe(source.id)
    }
  })

  test('to a repository with the name of another connected one changes neither', async () => {
    const own = await organization()
    const [one, other] = [repositoryAtA(), repositoryAtA()]
    const [source, taken] = [await connectA(own, one), await connectA(own, other)]
    const name = other.name
    Object.assign(one, { formerNames: [one.name], name })
    Object.assign(other, { name: `${name}-moved` })
    const delivery = crypto.randomUUID()
    const renamed = { action: 'renamed', repository: { id: one.id, full_name: name } }
    await deliver(a.signed('repository', renamed, delivery))
    await processed(delivery)
    expect(await own.client.done<CodeSource>('GET', `/code-sources/${source.id}`)).toMatchObject(source)
    expect(await own.client.done<CodeSource>('GET', `/code-sources/${taken.id}`)).toMatchObject(taken)
  })

  test('a transferred repository is read by the installation of the new owner, once it is claimed', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const installation = next()
    a.installations.set(installation, { login: 'corp', id: next(), type: 'Organization' })
    const name = `corp/moved-${repository.id}`
    Object.assign(repository, { name, formerNames: [repository.name], installations: [installation] })
    const transferred = async () => {
      const delivery = crypto.randomUUID()
      const about = { repository: { id: repository.id, full_name: name }, installation: { id: installation } }
      await deliver(a.signed('repository', { action: 'transferred', nonce: delivery, ...about }, delivery))
      await processed(delivery)
      return own.client.done<CodeSource>('GET', `/code-sources/${source.id}`)
    }
    expect(await transferred()).toMatchObject({ repoName: source.repoName, auth: { githostaInstallationId: '7' } })
    const { organizationId, owner } = own
    const claimed = {
      githostaInstallationId: String(installation),
      accountName: 'corp',
      claimedById: owner.membershipId,
    }
    await world.db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
    const auth = { githostaInstallationId: String(installation) }
    expect(await transferred()).toMatchObject({ repoName: name, auth })
  })

  test('of a merge queue starts the pipelines for its groups, whose status the queue sees', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const source = await connectA(own, repository)
    const waiting = (trigger: object) =>
      own.pipelines.create({
        steps: [done],
        triggers: [{ code_source_id: source.id, type: 'merge_group', ...trigger }],
      })
    const [wanted, elsewhere, others] = [
      await waiting({ branches: ['main'], paths: ['src/**'] }),
      await waiting({ branches: ['release/*'] }),
      await waiting({ paths: ['docs/**'] }),
    ]
    const [base, head] = ['b'.repeat(40), commitOf(next())]
    Object.assign(repository, {
      comparisons: { [`${base}...${head}`]: { status: 'ahead', files: [{ filename: 'src/a' }] } },
    })
    const group = {
      action: 'checks_requested',
      repository: { id: repository.id },
      sender: { login: 'ada' },
      merge_group: {
        head_sha: head,
        head_ref: 'refs/heads/gh-readonly-queue/main/pr-5-b',
        base_sha: base,
        base_ref: 'refs/heads/main',
      },
    }
    const delivery = crypto.randomUUID()
    await deliver(a.signed('merge_group', group, delivery))
    await processed(delivery)
    const [run, ...more] = await runsOf(own, wanted)
    expect(more).toEqual([])
    expect(run).toMatchObject({ triggeredBy: 'ada, by the merge queue of main' })
    expect([...(await runsOf(own, elsewhere)), ...(await runsOf(own, others))]).toEqual([])
    await eventually(
      'the status at the commit of the group',
      async () => a.checks.find((check) => check.head_sha === head)?.conclusion,
      (conclusion) => conclusion === 'success',
    )
  })

  test('without a message to the engine is found by the reconciler', async () => {
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

  test('is accepted while the host does not respond', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), { paths: ['deep/**'] })
    a.order({ on: `${repository.name}/compare/`, answer: 'nothing' })
    const abandonedCount = a.abandonedCount()
    await deliver(a.signed('push', pushOf(repository.id, { commits: Array(2_048).fill(noFiles) })))
    expect(a.abandonedCount(), 'comparisons that timed out before the delivery was answered').toBe(abandonedCount)
    // The changed files are unknown, so they may match the pipeline's paths.
    expect(await firstRun(own, pipeline)).toMatchObject({ triggerSource: 'PUSH' })
  })
})

test('access follows the installation', async () => {
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

describe.concurrent('reporting a run to the Git host', () => {
  const statusesOf = (commit: string) => a.statuses.filter((status) => status.commit === commit)
  const checksOf = (commit: string) => a.checks.filter((check) => check.head_sha === commit)
  const untilTold = (commit: string, state: string) =>
    eventually(
      `${state} at the commit`,
      async () => checksOf(commit),
      (told) => (told.at(-1)?.conclusion ?? told.at(-1)?.status) === state,
    )
  const untilStatus = (commit: string, state: string) =>
    eventually(
      `the status ${state} at the commit`,
      async () => statusesOf(commit),
      (told) => told.at(-1)?.state === state,
    )
  const rowOf = async (runId: string) =>
    (await world.db.select().from(gitFeedback).where(eq(gitFeedback.pipelineRunId, runId)))[0]
  /** Waits until the report to the host is recorded, which happens shortly after it. */
  const untilRested = (runId: string, toldStatus: string) =>
    eventually(
      'it to be written down',
      () => rowOf(runId),
      (row) => row?.toldStatus === toldStatus,
    )

  test('happens at each status', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    const [told] = await untilTold(push.after, 'in_progress')
    const link = `https://sluice.example/console/runs/${run.id}`
    expect(told).toMatchObject({
      name: `sluice/shop/${pipeline.givenId}`,
      external_id: run.id,
      details_url: link,
      conclusion: null,
      output: { title: 'Waits for approval', summary: expect.stringContaining(`[Waits for approval](${link})`) },
    })
    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    expect(await untilTold(push.after, 'cancelled')).toMatchObject([
      { id: told?.id, status: 'completed', output: { title: 'Was cancelled' }, completed_at: expect.any(String) },
    ])
    expect(statusesOf(push.after)).toEqual([])
  })

  test('uses statuses if the app has no permission for checks, and keeps using them for the same commit', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    a.withoutChecks.add(repository.id)
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    const [told] = await untilStatus(push.after, 'pending')
    expect(told).toMatchObject({
      context: `sluice/shop/${pipeline.givenId}`,
      target_url: `https://sluice.example/console/runs/${run.id}`,
    })
    await untilRested(run.id, 'PENDING_APPROVAL')
    a.withoutChecks.delete(repository.id)
    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    expect((await untilStatus(push.after, 'failure')).at(-1)).toMatchObject({ description: 'Was cancelled' })

    // A check with the same name would leave the failure beside it permanently.
    const retry = await own.client.done<PipelineRun>('POST', `/pipeline-runs/${run.id}/retry`)
    await untilStatus(push.after, 'pending')
    await untilRested(retry.id, 'PENDING_APPROVAL')
    expect(checksOf(push.after)).toEqual([])
    const next = pushOf(repository.id)
    await deliver(a.signed('push', next))
    await untilTold(next.after, 'in_progress')
    expect(statusesOf(next.after)).toEqual([])
  })

  test('uses a status from then on once the app loses the permission for checks', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    await untilTold(push.after, 'in_progress')
    await untilRested(run.id, 'PENDING_APPROVAL')
    a.withoutChecks.add(repository.id)
    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    await untilStatus(push.after, 'failure')
  })

  test('creates one check for each run even if a response is lost', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    await untilTold(push.after, 'in_progress')
    await untilRested(run.id, 'PENDING_APPROVAL')
    // Another app can use any name.
    const [made] = checksOf(push.after)
    if (!made) throw new Error('there is no check')
    a.checks.push({ ...made, id: 10_000 + made.id, app: { id: 4711 }, conclusion: null })
    // Simulates a crash before the check's id was stored.
    const died = { checkId: null, toldStatus: null, wakeAt: new Date(0), checkAttemptedAt: new Date(0) }
    await world.db.update(gitFeedback).set(died).where(eq(gitFeedback.pipelineRunId, run.id))
    await own.client.done('POST', `/pipeline-runs/${run.id}/cancel`)
    await untilRested(run.id, 'CANCELLED')
    expect(checksOf(push.after).map(({ id, conclusion }) => [id, conclusion])).toEqual([
      [made.id, 'cancelled'],
      [10_000 + made.id, null],
    ])
    expect(await rowOf(run.id)).toMatchObject({ checkId: String(made.id), hasStatus: false })

    const retry = await own.client.done<PipelineRun>('POST', `/pipeline-runs/${run.id}/retry`)
    await untilRested(retry.id, 'PENDING_APPROVAL')
    const ours = checksOf(push.after).filter(({ app }) => app.id !== 4711)
    expect(ours.map(({ external_id }) => external_id)).toEqual([run.id, retry.id])
  })

  test('happens by one call, even with concurrent ones, and by another one after a crash', async () => {
    const own = await organization()
    const { id: codeSourceId } = await connectA(own, repositoryAtA())
    const pipeline = await own.pipelines.create({ steps: [done] })
    const run = await own.pipelines.start(pipeline.id)
    const { organizationId } = own
    const at = { organizationId, codeSourceId, pipelineId: pipeline.id, branch: 'main', commit: commitOf(next()) }
    const untold = { id: newId('gfb'), ...at, pipelineRunId: run.id, wakeAt: null }
    const [row] = await world.db.insert(gitFeedback).values(untold).returning()
    if (!row) throw new Error('there is no row')
    const now = new Date()
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
    const begun = await Promise.all([1, 2, 3].map(() => leaseCheckCreation(world.db, row, now)))
    expect(begun.filter(Boolean)).toHaveLength(1)
    expect([canCreateInTime(now, later(1)), canCreateInTime(now, later(100))]).toEqual([true, false])
    const known = { ...row, checkAttemptedAt: now }
    expect(await leaseCheckCreation(world.db, known, later(100))).toBe(false)
    // It would not look for the check of the first one.
    expect(await leaseCheckCreation(world.db, row, later(200))).toBe(false)
    expect(await leaseCheckCreation(world.db, known, later(200))).toBe(true)
    await endCheckCreation(world.db, row, now) // too late: the lease belongs to the other call
    const again = { ...row, checkAttemptedAt: later(200) }
    expect(await leaseCheckCreation(world.db, again, later(201))).toBe(false)
    await endCheckCreation(world.db, row, later(200))
    const ended = (await rowOf(run.id)) ?? row
    expect(await leaseCheckCreation(world.db, ended, later(201))).toBe(true)
  })

  test('is retried after an error without delaying the run', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository))
    const push = pushOf(repository.id)
    const busy = { status: 503, headers: { 'retry-after': '1' } }
    a.order({ on: `${repository.name}/check-runs`, answer: busy, times: 2 })
    await deliver(a.signed('push', push))
    await own.pipelines.untilOver((await firstRun(own, pipeline)).id)
    await untilTold(push.after, 'success')
  })

  test('happens once for a run that builds, at the commit that it builds', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const { id: codeSourceId } = await connectA(own, repository)
    const pipeline = await own.pipelines.create({ steps: [done] })
    const run = await own.pipelines.start(pipeline.id)
    const commit = commitOf(next())
    const step = { organizationId: own.organizationId, pipelineRunId: run.id, id: newId('step') }
    const source = { url: '', ref: 'main', codeSourceId, basePath: '.' }
    const told = { step, source, commit }
    await Promise.all([1, 2].map(() => reportBuildToHost(world.db, told, new Date())))
    await reportBuildToHost(world.db, { ...told, source: { files: {}, basePath: '.' } }, new Date())
    expect(await untilTold(commit, 'success')).toHaveLength(1)
    const rows = await world.db.select().from(gitFeedback).where(eq(gitFeedback.pipelineRunId, run.id))
    expect(rows).toMatchObject([{ commit, branch: 'main' }])
  })

  test('ends when the host rejects it', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository))
    const push = pushOf(repository.id)
    const body = { message: 'Resource not accessible by integration' }
    a.withoutChecks.add(repository.id)
    a.order({ on: `/statuses/${push.after}`, answer: { status: 403, body } })
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    const rows = () => world.db.select().from(gitFeedback).where(eq(gitFeedback.pipelineRunId, run.id))
    const [row] = await eventually('it to be given up', rows, ([one]) => one?.wakeAt === null)
    expect(row).toMatchObject({ failure: expect.stringContaining('not accessible'), toldStatus: null })
    expect(statusesOf(push.after)).toEqual([])
  })

  test('adds one comment with the plan to the pull request, even if that is opened later', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const pipeline = await waiting(own, await connectA(own, repository), {}, gate)
    const number = next()
    const comments = () => a.comments.filter((comment) => comment.number === number)
    const push = pushOf(repository.id)
    await deliver(a.signed('push', push))
    const run = await firstRun(own, pipeline)
    await untilTold(push.after, 'in_progress')
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

/** Stores releases of one instance, each for a pushed commit. */
async function releasing({ organizationId }: Organization, source: CodeSource) {
  const { byPath } = await createOneOfEverything(world.db, { organizationId })
  const [like] = await world.db
    .select()
    .from(deployments)
    .where(eq(deployments.id, byPath.deployments ?? ''))
  if (!like) throw new Error('there is no deployment')
  const of = {
    organizationId,
    pipelineId: byPath.pipelines ?? '',
    pipelineVersionId: byPath['pipeline-versions'] ?? '',
  }
  let count = 0
  return async (commit: string, change: Partial<DeploymentRow> = {}): Promise<string> => {
    const [run, id] = [newId('run'), newId('dep')]
    const trigger = { kind: 'push', payload: { commit, code_source_id: source.id } } as const
    const begun = { status: 'SUCCESS', inputs: {}, triggerSource: 'PUSH', triggeredBy: 'ada', trigger } as const
    await world.db.insert(pipelineRuns).values({ id: run, ...of, ...begun })
    count += 1
    const createdAt = new Date(Date.now() + (count - 10) * 60_000)
    const repeats = { redeployOfDeploymentId: null, rollbackToDeploymentId: null }
    const own = { id, status: 'SUCCESS', pipelineRunId: run, createdAt } as const
    await world.db.insert(deployments).values({ ...like, ...own, ...repeats, ...change })
    return id
  }
}

describe.concurrent('reporting a release to the Git host', () => {
  /** Later than any test, so that no worker handles it. */
  const later = () => new Date(Date.now() + 3_600_000)
  const running = () =>
    ({
      status: 'IN_PROGRESS',
      startedAt: new Date(),
      wakeAt: later(),
      deadlineAt: later(),
      waitingFor: 'a test',
    }) as const
  const over = { wakeAt: null, deadlineAt: null, waitingFor: null }
  const ends = (id: string, status: 'SUCCESS' | 'CANCELLED') =>
    world.db
      .update(deployments)
      .set({ ...over, status, completedAt: new Date() })
      .where(eq(deployments.id, id))
  const madeAtA = ({ id }: { id: number }) => a.deployments.filter(({ repository }) => repository === id)
  const untilTold = (repository: { id: number }, commit: string, state: string) =>
    eventually(
      `${state} of the release`,
      async () => madeAtA(repository).filter(({ sha }) => sha === commit),
      (made) => made.at(-1)?.statuses.at(-1)?.state === state,
    )
  const rowOf = async (id: string) => (await world.db.select().from(gitReleases).where(eq(gitReleases.id, id)))[0]
  /** Waits until the report to the host is recorded, which happens shortly after it. */
  const untilRested = (id: string, told: string) =>
    eventually(
      'it to rest until its status changes',
      () => rowOf(id),
      (row) => row?.toldStatus === told && row.wakeAt === null,
    )

  test('happens at each status, and when a newer release replaces it', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const release = await releasing(own, await connectA(own, repository))
    const [first, second] = [commitOf(next()), commitOf(next())]
    const id = await release(first, running())
    await untilTold(repository, first, 'in_progress')
    await untilRested(id, 'IN_PROGRESS')
    await ends(id, 'SUCCESS')
    const [made] = await untilTold(repository, first, 'success')
    expect(made).toMatchObject({ environment: expect.any(String), payload: { sluice_deployment_id: id } })
    const link = `https://sluice.example/console/deployments/${id}`
    expect(made?.statuses.map(({ log_url }) => log_url)).toEqual([link, link])

    await ends(await release(second, running()), 'SUCCESS')
    await untilTold(repository, second, 'success')
    await untilTold(repository, first, 'inactive')
    expect(madeAtA(repository)).toHaveLength(2)
  })

  test('happens once, despite errors of the host and a lost response', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const release = await releasing(own, await connectA(own, repository))
    const commit = commitOf(next())
    a.order({ on: `${repository.name}/deployments`, answer: { status: 503, headers: { 'retry-after': '1' } } })
    const id = await release(commit, running())
    await untilTold(repository, commit, 'in_progress')
    await untilRested(id, 'IN_PROGRESS')
    // Simulates a crash before the host's id was stored.
    const forgotten = { hostId: null, toldStatus: null, wakeAt: new Date(0) }
    await world.db.update(gitReleases).set(forgotten).where(eq(gitReleases.id, id))
    await ends(id, 'CANCELLED')
    await untilTold(repository, commit, 'failure')
    expect(madeAtA(repository)).toHaveLength(1)
    expect(await untilRested(id, 'CANCELLED')).toMatchObject({ failures: 0 })
  })

  test('ends when the app lacks the permission, without affecting the release', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    a.withoutDeployments.add(repository.id)
    const release = await releasing(own, await connectA(own, repository))
    const id = await release(commitOf(next()), running())
    const row = await eventually(
      'it to be given up',
      () => rowOf(id),
      (one) => one?.wakeAt === null,
    )
    expect(row).toMatchObject({ failure: expect.stringContaining('not accessible by integration'), hostId: null })
    expect(await own.client.done('GET', `/deployments/${id}`)).toMatchObject({ status: 'IN_PROGRESS' })
  })

  test('does not happen without a known commit, and nothing is stored without a connected repository', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const release = await releasing(own, await connectA(own, repository))
    const short = await release('abcdef0', { startedAt: new Date() })
    await eventually(
      'nothing to be left to tell',
      () => rowOf(short),
      (row) => row?.toldStatus === 'SUCCESS' && row.wakeAt === null,
    )
    expect(madeAtA(repository)).toEqual([])

    const without = await organization()
    const unconnected = await releasing(without, { id: newId('cs') } as CodeSource)
    await world.db.delete(codeSources).where(eq(codeSources.organizationId, without.organizationId))
    expect(await rowOf(await unconnected(commitOf(next()), running()))).toBeUndefined()
  })

  test('happens by one call, even with concurrent ones, and by another one after a crash', async () => {
    const own = await organization()
    const release = await releasing(own, await connectA(own, repositoryAtA()))
    const id = await release(commitOf(next()), { ...running(), status: 'PENDING', startedAt: null })
    const { organizationId } = own
    const now = new Date()
    const claim = (at: Date) => leaseCreation(world.db, { organizationId, id }, at)
    const [one, ...others] = (await Promise.all([claim(now), claim(now), claim(now)])).flatMap((row) => row ?? [])
    if (!one) throw new Error('nobody may make it')
    expect(others).toEqual([])
    const afterwards = new Date(now.getTime() + 3_600_000)
    expect([isLeaseLongEnough(one, now), isLeaseLongEnough(one, afterwards)]).toEqual([true, false])
    const other = await claim(afterwards)
    if (!other) throw new Error('nobody may make it any more')
    await endLease(world.db, one) // too late: the lease belongs to the other call
    expect(await claim(now)).toBeUndefined()
    await endLease(world.db, other)
    expect(await claim(now)).toBeDefined()
  })

  test('marks the releases of a deleted environment as inactive', async () => {
    const own = await organization()
    const repository = repositoryAtA()
    const release = await releasing(own, await connectA(own, repository))
    const commit = commitOf(next())
    const id = await release(commit, running())
    await ends(id, 'SUCCESS')
    await untilTold(repository, commit, 'success')
    const environmentId = (await rowOf(id))?.environmentId ?? ''
    await retireReleases(world.db, own.organizationId, environmentId, new Date())
    expect(await untilTold(repository, commit, 'inactive')).toHaveLength(1)
    await eventually(
      'nothing to be left to tell',
      () => hasUnreported(world.db, own.organizationId, environmentId),
      (isLeft) => !isLeft,
    )
  })

  test('works with the second host as well', async () => {
    const own = await organization()
    const { id, source } = await connectB(own)
    const release = await releasing(own, source)
    const commit = commitOf(next())
    const deployment = await release(commit, running())
    const told = (status: string) =>
      eventually(
        `${status} of the release`,
        async () => b.deployments.filter(({ project }) => project === id),
        ([made]) => made?.status === status,
      )
    expect(await told('running')).toMatchObject([{ sha: commit }])
    await ends(deployment, 'CANCELLED')
    expect(await told('canceled')).toHaveLength(1)
  })
})

describe('the changes of a release', () => {
  const commits = [1, 2, 3].map((number) => commitOf(0xc0ffee00 + number))
  const [first = '', second = '', third = ''] = commits

  /** Creates two releases of one instance with these commits. */
  async function released(own: Organization, source: CodeSource, made: readonly [string, string]) {
    const release = await releasing(own, source)
    return [await release(made[0]), await release(made[1])]
  }
  const notesOf = async ({ client }: Organization, id = '') => {
    const { body } = await client.ask('GET', `/deployments/${id}?include=notes`)
    return (body as { included: { notes: ReleaseNotes } }).included.notes
  }

  test('are read from the first host: the commits since the previous release, and their pull requests', async () => {
    const own = await organization()
    const repository = { ...repositoryAtA(), commits }
    a.repositories.splice(-1, 1, repository)
    const source = await connectA(own, repository)
    const head = { ref: 'cart', sha: second }
    a.pulls.push({ number: 71, state: 'closed', head, title: 'The cart', merged_at: '2026-01-02T03:04:05Z' })
    const [before, id] = await released(own, source, [first, third])
    const notes = await notesOf(own, id)
    expect(notes).toMatchObject({ commit: third, author: 'Ada', isComplete: true, repository: source.repoUrl })
    expect(notes.before).toEqual({ deploymentId: before, commit: first })
    expect(notes.commits.map((commit) => commit.id)).toEqual([third, second])
    expect(notes.pullRequests).toMatchObject([{ number: 71, title: 'The cart' }])
  })

  test('are read from the second host as well', async () => {
    const own = await organization()
    const id = next()
    b.projects.push({ id, name: `team/p${id}`, visibility: 'public', branches: ['main'], members: [], commits })
    const data = { type: 'GITHOSTB', repoUrl: `https://${new URL(b.url).host}/team/p${id}` }
    const source = await own.client.done<CodeSource>('POST', '/code-sources', { data })
    b.mergeRequests.push({ iid: 72, source_branch: 'cart', sha: second, state: 'merged' })
    const [, latest] = await released(own, source, [first, second])
    const notes = await notesOf(own, latest)
    expect(notes).toMatchObject({ commits: [{ id: second }], pullRequests: [{ number: 72 }], isComplete: true })
  })

  test('are unknown if the host does not know the commits, and the release is returned anyway', async () => {
    const own = await organization()
    const repository = { ...repositoryAtA(), commits }
    a.repositories.splice(-1, 1, repository)
    const source = await connectA(own, repository)
    const [, id] = await released(own, source, [first, commitOf(0xdead)])
    const notes = await notesOf(own, id)
    expect(notes).toMatchObject({ commits: [], isComplete: false, reason: expect.stringContaining(repository.name) })
  })
})

/** Stores a plan of the run's step, as the runner would report it. */
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
  test('is authenticated by the secret of the code source, for its repository alone', async () => {
    const own = await organization()
    const { id, source } = await connectB(own)
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
    await deleteExpiredDeliveries(world.db, new Date(Date.now() + 86_401_000))
    expect((await send(made.secret, id, again, commit)).status).toBe(202)
    expect(await deliveriesOf(again)).toHaveLength(1)

    await own.client.done('POST', `/code-sources/${source.id}/webhook-secret`)
    expect((await send(made.secret, id)).status).toBe(401)
    await world.db.update(codeSources).set({ webhookSecretHash: null }).where(eq(codeSources.id, source.id))
    expect((await send('', id)).status).toBe(401)
  })
})
