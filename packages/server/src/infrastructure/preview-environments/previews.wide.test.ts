import type {
  CodeSource,
  Environment,
  ModuleInstance,
  NotificationDelivery,
  PipelineRun,
  PreviewEnvironment,
  PreviewTemplate,
} from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../git/adapter/fakes/settings.fixture.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { gitDeliveries } from '../../pipelines/git-deliveries/tables.ts'
import { isOfPreview } from '../../pipelines/pipeline-runs/of-preview.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { desc, eq } from '../../platform/db/drizzle.ts'
import { environments } from '../../projects/projects/tables.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { beginAtHost, signIn } from '../../testing/session.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import { startWorld, type World } from '../../testing/world.ts'
import {
  claimInstallation,
  commitOf,
  createPullRequest,
  createStaging,
  done,
  install,
  next,
} from './staging.fixture.ts'
import { previewEnvironments } from './tables.ts'

type Json = Record<string, unknown>

let a: FakeGitHostA
let b: FakeGitHostB
let world: World

beforeAll(async () => {
  ;[a, b] = await Promise.all([startFakeGitHostA(), startFakeGitHostB()])
  install(a)
  world = await startWorld({ env: { ...settingsOfFakes(a, b), SLUICE_PUBLIC_URL: 'https://sluice.example' } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await Promise.all([a?.close(), b?.close()])
})

/** Pipeline that waits for approval. */
const gate = { steps: [{ id: 'ask', type: 'approval' }] }

async function place() {
  const owner = await seedOrganization(world.db)
  await claimInstallation(world.db, owner)
  return { owner, ...(await createStaging(new Client(world.url, owner.key), world.url)) }
}
type Place = Awaited<ReturnType<typeof createStaging>>

/** Creates a pull request at the fake GitHub. Each event is processed before its function returns. */
async function atHostA(own: Place) {
  const request = await createPullRequest(a, own)
  const tell = async (...told: Parameters<typeof request.tell>) => {
    const { commit, delivery } = await request.tell(...told)
    await processed(delivery)
    return commit
  }
  return { ...request, tell }
}

const processed = (delivery: string) =>
  eventually(
    'the delivery to be done',
    () => world.db.select().from(gitDeliveries).where(eq(gitDeliveries.deliveryId, delivery)),
    ([row]) => row?.completedAt != null,
  )

const template = ({ make, projectId, environmentId }: Place, { id }: CodeSource, more: Json = {}) =>
  make<PreviewTemplate>('/preview-templates', { projectId, environmentId, codeSourceId: id, ...more })

const previewsOf = ({ client }: Place) =>
  client.done<PreviewEnvironment[]>('GET', '/preview-environments?includeDeleted=true')

async function until(of: Place, status: PreviewEnvironment['status'], is = (_: PreviewEnvironment) => true) {
  const [preview] = await eventually(
    `a preview environment to be ${status}`,
    () => previewsOf(of),
    ([one]) => one?.status === status && is(one),
  )
  if (!preview) throw new Error('there is no preview environment')
  return preview
}

const instancesIn = ({ client }: Place, { environmentId }: PreviewEnvironment) =>
  client.done<ModuleInstance[]>('GET', `/module-instances?environmentId=${environmentId}`)

const runsOf = (instance: ModuleInstance | undefined) =>
  world.db
    .select()
    .from(pipelineRuns)
    .where(eq(pipelineRuns.moduleInstanceId, instance?.id ?? ''))
    .orderBy(desc(pipelineRuns.id))

test('a pull request gets its environment, which follows its pushes and is destroyed with it', async () => {
  const own = await place()
  const host = await atHostA(own)
  const pipeline = await own.pipelines.create({
    inputs: [
      { id: 'at', type: 'string', label: 'At' },
      { id: 'commit', type: 'string', label: 'Commit' },
    ],
    ...done,
  })
  await template(own, host.source, {
    inputs: { web: { tag: '<< pull_request.commit >>' } },
    pipelineId: pipeline.id,
    branches: ['main'],
    pipelineInputs: { at: '<< environment.given_id >>', commit: '<< pull_request.commit >>' },
  })
  const first = await host.tell('opened')
  const ready = await until(own, 'READY')
  expect(ready).toMatchObject({
    givenId: `pr-${host.number}`,
    instanceCount: 2,
    pullRequest: { commit: first, by: 'ada' },
  })
  const [net, web] = (await instancesIn(own, ready)).toSorted((one, other) => (one.givenId < other.givenId ? -1 : 1))
  expect([net?.status, web?.status]).toEqual(['ACTIVE', 'ACTIVE'])
  expect(web?.input).toEqual({ tag: first, net: 'net' })
  const run = await own.client.done<PipelineRun>('GET', `/pipeline-runs/${ready.pipelineRunId}`)
  expect(run.inputs).toEqual({ at: ready.givenId, commit: first })
  const environment = await own.client.done<Environment>('GET', `/environments/${ready.environmentId}`)
  expect(environment.previewEnvironmentId).toBe(ready.id)

  // This marks runs that get no credentials for a production account.
  const [changed] = await runsOf(web)
  for (const id of [run.id, changed?.id ?? '']) expect(await isOfPreview(world.db, run.organizationId, id)).toBe(true)

  const second = await host.tell('synchronize')
  const pushed = await until(own, 'READY', (one) => one.pipelineRunId !== ready.pipelineRunId)
  expect(pushed.environmentId).toBe(ready.environmentId)
  const inputs = (await instancesIn(own, pushed)).map(({ input }) => input)
  expect(inputs).toContainEqual({ tag: second, net: 'net' })
  const [comment] = await eventually(
    'the comment',
    async () => host.comments(),
    ([one]) => one?.includes('Ready') === true,
  )
  expect(comment).toContain('[web: Shop]')
  expect(comment).toContain(`https://pr-${host.number}.shop.example`)

  await host.tell('closed', second)
  const gone = await until(own, 'DESTROYED')
  expect(gone).toMatchObject({ endReason: 'CLOSED', instanceCount: 0, resourceCount: 0 })
  expect((await own.client.ask('GET', `/environments/${ready.environmentId}`)).status).toBe(404)
  await eventually(
    'the comment to say so',
    async () => host.comments(),
    ([one]) => one?.includes('Gone') === true,
  )
  expect(host.comments()).toHaveLength(1)

  const [destroyed] = await runsOf(web)
  expect(await isOfPreview(world.db, run.organizationId, destroyed?.id ?? '')).toBe(false)

  await host.tell('synchronize') // arrives late
  expect(await until(own, 'DESTROYED')).toMatchObject({ endReason: 'CLOSED' })
  await host.tell('reopened')
  expect((await until(own, 'READY')).environmentId).not.toBe(ready.environmentId)
})

describe('no environment is created', () => {
  test('for a pull request from a fork, unless the template allows it', async () => {
    const own = await place()
    const host = await atHostA(own)
    const { id } = await template(own, host.source)
    const fromFork = { head: { ref: 'topic', sha: commitOf(next()), repo: { id: 999_999 } } }
    await host.tell('opened', undefined, fromFork)
    expect(await previewsOf(own)).toEqual([])
    await own.client.done('PATCH', `/preview-templates/${id}`, { data: { allowsForks: true } })
    await host.tell('reopened', undefined, fromFork)
    expect(await until(own, 'READY')).toMatchObject({ pullRequest: { isFromFork: true } })
  })

  test('for another target branch or repository', async () => {
    const own = await place()
    const host = await atHostA(own)
    await template(own, host.source, { branches: ['release/*'] })
    await template(own, (await atHostA(own)).source)
    await host.tell('opened')
    expect(await previewsOf(own)).toEqual([])
  })

  test('in a production cloud account, and the reason is reported', async () => {
    const own = await place()
    const host = await atHostA(own)
    const { id } = await own.make('/cloud-accounts', { givenId: 'main', name: 'Main' })
    const mark = (isProduction: boolean) =>
      own.client.done('PATCH', `/cloud-accounts/${id}/production-mark`, { data: { isProduction } })
    await mark(true)
    await template(own, host.source, { inputs: { web: { account: id } } })
    await host.tell('opened')
    const failed = await until(own, 'FAILED')
    expect(failed.message).toContain('Main, which is marked as production')
    expect(failed.environmentId).toBeUndefined()
    await mark(false)
    await own.client.done('POST', `/preview-environments/${failed.id}/retry`)
    await until(own, 'READY')
  })

  test('if its steps would run in such an account, even through the assignment of its module', async () => {
    const own = await place()
    const host = await atHostA(own)
    const { id: cloudAccountId } = await own.make('/cloud-accounts', { givenId: 'main', name: 'Main' })
    await own.client.done('PATCH', `/cloud-accounts/${cloudAccountId}/production-mark`, {
      data: { isProduction: true },
    })
    const made = { givenId: 'near', name: 'Near', cloudAccountId, region: 'eu-west-1' }
    const { id: executionEnvironmentId } = await own.make('/execution-environments', made)
    const isIt = eq(executionEnvironments.id, executionEnvironmentId)
    await world.db.update(executionEnvironments).set({ readyAt: new Date() }).where(isIt)
    const instances = await own.client.done<ModuleInstance[]>('GET', '/module-instances')
    const parentId = instances.find(({ givenId }) => givenId === 'web')?.moduleDefinitionId
    await own.make('/execution-assignments', { parentType: 'module-definition', parentId, executionEnvironmentId })
    const program = { id: 'run', type: 'command', with: { argv: ['true'] }, when: false }
    await own.setDefault('change_pipeline_id', (await own.pipelines.create({ steps: [program] })).id)
    await template(own, host.source)
    await host.tell('opened')
    // The network is applied first; its dependents start later in runs of their own.
    const failed = await until(own, 'FAILED')
    expect(failed.message).toContain('web')
    const web = (await instancesIn(own, failed)).find(({ givenId }) => givenId === 'web')
    expect(web?.error?.message).toContain('Near, in the cloud account Main, which is marked as production')
    expect(await runsOf(web)).toEqual([])
  })

  test('and no release goes to such an account, whichever user requests or retries it', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const ofOrganization = eq(environments.organizationId, org.id)
    await world.db.update(environments).set({ previewEnvironmentId: 'pve_1' }).where(ofOrganization)
    const mark = { data: { isProduction: true } }
    await org.client.done('PATCH', `/cloud-accounts/${org.cloudAccountId}/production-mark`, mark)
    const release = { data: { moduleInstanceId, description: 'x', inputs: { image_ref: 'shop/app:2' } } }
    const { status, body } = await org.client.ask('POST', '/deployments', release)
    const code = 'Sluice:PreviewEnvironments:IN_PRODUCTION'
    expect([status, (body as { code: string }).code]).toEqual([422, code])
    await world.db.update(environments).set({ previewEnvironmentId: null }).where(ofOrganization)
    const [one, two] = [await org.deploy(moduleInstanceId), await org.deploy(moduleInstanceId)]
    for (const { id } of [one, two]) await org.untilStatus(id, 'SUCCESS')
    await world.db.update(environments).set({ previewEnvironmentId: 'pve_1' }).where(ofOrganization)
    for (const again of ['redeploy', 'rollback']) {
      const refused = await org.client.ask(
        'POST',
        `/deployments/${two.id}/${again}`,
        again === 'rollback' ? {} : undefined,
      )
      expect([refused.status, (refused.body as { code: string }).code]).toEqual([422, code])
    }
  })

  test('from a template whose author has lost the permission', async () => {
    const own = await place()
    const host = await atHostA(own)
    const { membershipId: id } = await own.client.done<{ membershipId: string }>('GET', '/auth/whoami')
    const { id: templateId } = await template(own, host.source)
    expect(id).toBeDefined()
    await world.db.execute(`update preview_templates set written_by_id = 'mem_gone' where id = '${templateId}'`)
    await host.tell('opened')
    expect((await until(own, 'FAILED')).message).toContain('A user with that permission must save it again')
  })
})

test('a project has a limit, and further environments wait until one is destroyed', async () => {
  const own = await place()
  const [one, other] = [await atHostA(own), await atHostA(own)]
  for (const { source } of [one, other]) await template(own, source, { maxPerProject: 1 })
  await one.tell('opened')
  const first = await until(own, 'READY')
  await other.tell('opened')
  const second = await until(own, 'WAITING', ({ message }) => message !== undefined)
  expect(second.message).toContain('waits until one of them is gone')
  await own.client.done('POST', `/preview-environments/${first.id}/end`)
  const later = await eventually(
    'the other to be made',
    () => own.client.done<PreviewEnvironment>('GET', `/preview-environments/${second.id}`),
    ({ status }) => status === 'READY',
  )
  expect(later.message).toBeUndefined()
})

test('an expired environment is destroyed unless a user has extended it', async () => {
  const own = await place()
  const host = await atHostA(own)
  await template(own, host.source, { lifetimeHours: 1 })
  await host.tell('opened')
  const { id } = await until(own, 'READY')
  const path = `/preview-environments/${id}`
  const extended = await own.client.done<PreviewEnvironment>('POST', `${path}/extend`, { data: { hours: 48 } })
  expect(Date.parse(extended.expiresAt ?? '') - Date.now()).toBeGreaterThan(47 * 3_600_000)
  const over = { expiresAt: new Date(0), wakeAt: new Date(0) }
  await world.db.update(previewEnvironments).set(over).where(eq(previewEnvironments.id, id))
  expect(await until(own, 'DESTROYED')).toMatchObject({ endReason: 'EXPIRED' })
  const { status, body } = await own.client.ask('POST', `${path}/extend`, { data: { hours: 1 } })
  expect([status, (body as { code: string }).code]).toEqual([409, 'Sluice:PreviewEnvironments:ENDED'])
  await host.tell('synchronize')
  await until(own, 'READY')
})

test('a preview environment that ends cancels its deployment in progress', async () => {
  const org = await world.organization()
  const { membershipId } = await org.client.done<{ membershipId: string }>('GET', '/auth/whoami')
  await claimInstallation(world.db, { organizationId: org.id, membershipId })
  const own = await createStaging(org.client, world.url)
  const host = await atHostA(own)
  await template(own, host.source)
  await host.tell('opened')
  const { environmentId } = await until(own, 'READY')
  const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  // Stands for a service that the template copied: those of the fixture have no deployments.
  const isService = eq(moduleInstances.id, moduleInstanceId)
  await world.db
    .update(moduleInstances)
    .set({ environmentId: environmentId ?? '' })
    .where(isService)
  await host.tell('closed')
  await org.untilStatus(id, 'ROLLED_BACK')
})

test('a failed teardown is retried, and a release that waits for approval does not block it', async () => {
  const own = await place()
  const host = await atHostA(own)
  const waits = await own.pipelines.create(gate)
  const { id: templateId } = await template(own, host.source, { pipelineId: waits.id })
  await host.tell('opened')
  const creating = await until(own, 'CREATING', ({ pipelineRunId }) => pipelineRunId !== undefined)
  await own.setDefault('destroy_pipeline_id', 'pl_none')
  const events = ['preview.teardown_failed']
  const channel = await own.make('/notification-channels', { name: 'Chat', url: 'https://chat.example', events })
  await host.tell('closed')
  const stuck = await until(own, 'DESTROYING', ({ failedTeardowns }) => failedTeardowns > 0)
  expect(stuck.message).toContain('pl_none')
  expect(Date.parse(stuck.retryAt ?? '')).toBeGreaterThan(Date.now())
  expect((await own.pipelines.get(creating.pipelineRunId ?? '')).status).toBe('CANCELLED')
  expect((await own.client.ask('DELETE', `/preview-templates/${templateId}`)).status).toBe(409)
  const [told] = await eventually(
    'it to be told of',
    () => own.client.done<NotificationDelivery[]>('GET', `/notification-channels/${channel.id}/deliveries`),
    (deliveries) => deliveries.length > 0,
  )
  expect(told?.payload).toMatchObject({ type: 'preview.teardown_failed', data: { failedTeardowns: 1 } })

  await own.setDefault('destroy_pipeline_id', own.change.id)
  const due = { retryAt: new Date(0), wakeAt: new Date(0) }
  await world.db.update(previewEnvironments).set(due).where(eq(previewEnvironments.id, stuck.id))
  expect(await until(own, 'DESTROYED')).toMatchObject({ failedTeardowns: 0 })
  const left = await world.db
    .select()
    .from(moduleInstances)
    .where(eq(moduleInstances.environmentId, creating.environmentId ?? ''))
  expect(left).toEqual([])
  expect((await own.client.ask('DELETE', `/preview-templates/${templateId}`)).status).toBe(204)
})

test('GitLab merge requests get preview environments in the same way', async () => {
  const own = await place()
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
  const source = await own.make<CodeSource>('/code-sources', data)
  const { secret } = await own.client.done<{ secret: string }>('POST', `/code-sources/${source.id}/webhook-secret`)
  await template(own, source)
  const tell = async (action: string, more: Json = {}) => {
    const uuid = crypto.randomUUID()
    const request = {
      object_kind: 'merge_request',
      project: { id },
      user: { username: 'ada' },
      object_attributes: {
        iid: 3,
        action,
        state: action === 'close' ? 'closed' : 'opened',
        source_branch: 'topic',
        target_branch: 'main',
        source_project_id: id,
        target_project_id: id,
        last_commit: { id: commitOf(next()) },
        ...more,
      },
    }
    const headers = { 'x-gitlab-event-uuid': uuid, 'x-gitlab-token': secret }
    const json = JSON.stringify(request)
    await new Client(world.url, '').send('POST', `/webhooks/githostb/${source.id}`, { json, headers })
    await processed(uuid)
  }
  await tell('open')
  const ready = await until(own, 'READY')
  await tell('update', { oldrev: ready.pullRequest.commit })
  const pushed = await until(own, 'READY', ({ pullRequest }) => pullRequest.commit !== ready.pullRequest.commit)
  expect(pushed.environmentId).toBe(ready.environmentId)
  await tell('close')
  await until(own, 'DESTROYED')
  const notes = () => b.notes.filter(({ iid }) => iid === 3).map(({ body }) => String(body))
  await eventually(
    'the note',
    async () => notes(),
    ([one]) => one?.includes('Gone') === true,
  )
  expect(notes()).toHaveLength(1)
})
