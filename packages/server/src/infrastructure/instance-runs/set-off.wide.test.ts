import type { CodeSource, ModuleDefinition, ModuleInstance, PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../git/adapter/fakes/settings.fixture.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { gitDeliveries } from '../../pipelines/git-deliveries/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization } from '../../testing/http-world.ts'
import { startWorld, type World } from '../../testing/world.ts'

type Json = Record<string, unknown>

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

const commitOf = (number: number) => number.toString(16).padStart(40, '0')
let last = 500
const next = () => ++last

/** A definition whose code is in a user's repository: planned for pull requests, applied after a merge. */
const config = (repo: string) => ({
  inputs: [{ id: 'repo', label: 'Repository', type: 'gitrepo', default: repo }],
  stack: {
    type: 'iac',
    service_state_backend_workspace: '<< stack.id >>',
    pipelines: {
      defaults: {
        variant: 'standard',
        input: { repo: '<< module.input.repo >>', branch: 'main', stack_id: '<< stack.id >>', iac_variables: { a: 1 } },
      },
      change: {
        pipeline_id: '<< defaults.change_pipeline_id >>',
        triggers: [
          {
            id: 'merged',
            type: 'webhook:githosta',
            event: 'push',
            repo: '<< module.input.repo >>',
            filter: { branch: 'main', paths: ['infra/**'] },
            run: { standard: { input: { ref: '<< trigger.payload.commit >>' } } },
          },
          {
            id: 'asked',
            type: 'webhook:githosta',
            event: 'pull_request',
            filter: { branch: 'main' },
            run: { plan: { input: { ref: '<< trigger.payload.commit >>' } } },
          },
        ],
      },
      destroy: { pipeline_id: null },
    },
  },
})

async function place() {
  const { organizationId, membershipId, key } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const claimed = { githostaInstallationId: '7', accountName: 'acme', claimedById: membershipId }
  await world.db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
  const repository = { id: next(), name: `acme/r${last}`, isPrivate: true, branches: ['main'], installations: [7] }
  a.repositories.push(repository)
  const repo = `https://${new URL(a.url).host}/${repository.name}`
  await client.done<CodeSource>('POST', '/code-sources', {
    data: { type: 'GITHOSTA', repoUrl: repo, githostaInstallationId: '7' },
  })
  const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  const environment = await client.done<{ id: string }>('POST', '/environments', {
    data: { projectId: project.id, givenId: 'production', name: 'Production' },
  })
  const definition = await client.done<ModuleDefinition>('POST', '/module-definitions', {
    data: { type: 'user-stack', name: 'Own code', description: '' },
  })
  await client.done('POST', '/module-versions', {
    data: { moduleDefinitionId: definition.id, version: '1.0.0', description: 'x', config: config(repo) },
  })
  const instance = await client.done<ModuleInstance>('POST', '/module-instances', {
    data: { moduleDefinitionId: definition.id, environmentId: environment.id, givenId: 'net', name: 'Net', input: {} },
  })
  return { client, organizationId, repository, instance }
}
type Place = Awaited<ReturnType<typeof place>>

async function deliver(name: string, payload: Json, delivery: string = crypto.randomUUID()): Promise<void> {
  const { json, headers } = a.signed(name, payload, delivery)
  const { status } = await new Client(world.url, '').send('POST', '/webhooks/githosta', { json, headers })
  expect(status).toBe(202)
  await eventually(
    'the delivery to be done',
    () => world.db.select().from(gitDeliveries).where(eq(gitDeliveries.deliveryId, delivery)),
    ([row]) => row?.completedAt != null,
  )
}

const push = ({ repository }: Place, paths: string[], change: Json = {}) => ({
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: commitOf(next()),
  repository: { id: repository.id },
  pusher: { name: 'ada' },
  commits: [{ added: paths, modified: [], removed: [] }],
  ...change,
})

const request = ({ repository }: Place, from: number, action = 'opened') => ({
  action,
  number: 12,
  repository: { id: repository.id },
  sender: { login: 'eve' },
  pull_request: {
    state: 'open',
    head: { ref: 'feature', sha: commitOf(next()), repo: { id: from } },
    base: { ref: 'main', sha: 'b'.repeat(40) },
  },
})

const runsOf = ({ organizationId, instance }: Place) =>
  world.db
    .select()
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.moduleInstanceId, instance.id)))
    .orderBy(pipelineRuns.id)

test('a push to the paths of an instance starts its run once, with the pushed commit', async () => {
  const own = await place()
  const pushed = push(own, ['infra/main.tf'])
  const delivery = crypto.randomUUID()
  await deliver('push', pushed, delivery)
  await deliver('push', pushed, delivery)
  await deliver('push', push(own, ['docs/a.md']))
  await deliver('push', push(own, ['infra/main.tf'], { ref: 'refs/heads/feature' }))
  const runs = await runsOf(own)
  expect(runs).toMatchObject([
    {
      triggerSource: 'PUSH',
      triggeredBy: 'ada, by a push to main',
      isAutoApproved: false,
      inputs: { ref: pushed.after, branch: 'main', iac_variables: { a: 1 } },
    },
  ])
  const instance = await own.client.done<ModuleInstance>('GET', `/module-instances/${own.instance.id}`)
  // The fake host has no code, so the run may already have failed.
  expect(['UPDATING', 'ERROR']).toContain(instance.status)
})

test('a push that removes a commit starts the run of an instance whose paths that commit changed', async () => {
  const own = await place()
  const pushed = push(own, [], { forced: true, commits: [] })
  const [there, back] = [`${pushed.before}...${pushed.after}`, `${pushed.after}...${pushed.before}`]
  const files = [{ filename: 'infra/main.tf' }]
  Object.assign(own.repository, {
    comparisons: { [there]: { status: 'behind', files: [] }, [back]: { status: 'ahead', files } },
  })
  await deliver('push', pushed)
  expect(await runsOf(own)).toHaveLength(1)
})

test('a newer push supersedes an older run that has not started to apply', async () => {
  const own = await place()
  await deliver('push', push(own, ['infra/a.tf']))
  await deliver('push', push(own, ['infra/b.tf']))
  const [first, second] = await runsOf(own)
  const over = await eventually(
    'the first run to be over',
    () => own.client.done<PipelineRun>('GET', `/pipeline-runs/${first?.id}`),
    ({ status }) => status === 'CANCELLED',
  )
  expect(over.error).toMatchObject({ metadata: { pipelineRunId: second?.id } })
  expect(second?.cancelRequest).toBeNull()
})

test('a pull request plans the instance without changing it, and a pull request from a fork starts nothing', async () => {
  const own = await place()
  await deliver('pull_request', request(own, 999_999))
  await deliver('pull_request', request(own, own.repository.id, 'edited'))
  expect(await runsOf(own)).toEqual([])
  const asked = request(own, own.repository.id)
  await deliver('pull_request', asked)
  const [run] = await runsOf(own)
  expect(run).toMatchObject({
    triggeredBy: 'eve, by the pull request 12',
    inputs: { ref: asked.pull_request.head.sha },
    trigger: { payload: { number: 12, base_branch: 'main', branch: 'feature' } },
  })
  const steps = await own.client.done<Json[]>('GET', `/pipeline-step-executions?pipelineRunId=${run?.id}`)
  expect(steps.map(({ stepType }) => stepType)).toEqual(['iac:plan'])
  const instance = await own.client.done<ModuleInstance>('GET', `/module-instances/${own.instance.id}`)
  expect(instance.status).toBe('PENDING')
})

test('a push to one organization’s repository starts nothing in another organization', async () => {
  const [mine, theirs] = [await place(), await place()]
  await deliver('push', push(mine, ['infra/main.tf']))
  expect(await runsOf(mine)).toHaveLength(1)
  expect(await runsOf(theirs)).toEqual([])
})
