import type { ApprovalSubject } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeSources } from '../../git/code-sources/tables.ts'
import { githostbInstances } from '../../git/githostb-instances/tables.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { iacResources } from '../iac-resources/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: Awaited<ReturnType<typeof createOneOfEverything>>
let asking: string

const runId = newId('run')
const planId = newId('iap')

/** A run waits for approval of a plan that replaces one resource and deletes six. */
const cost = {
  currency: 'EUR',
  monthlyBefore: '70.00',
  monthlyAfter: '12.50',
  monthlyDifference: '-57.50',
  unpricedCount: 2,
  unpriced: [{ resourceType: 'queue', count: 2 }],
}

beforeAll(async () => {
  world = await startHttpWorld()
  made = await createOneOfEverything(world.db)
  const { db } = world
  const { organizationId, byPath } = made
  const steps = [
    { id: 'plan', type: 'iac:plan', with: {} },
    { id: 'gate', type: 'approval' },
    { id: 'apply', type: 'iac:apply' },
    { id: 'release', type: 'deploy', with: { module_instance_id: byPath['module-instances'] } },
  ]
  const [run] = await db.select().from(pipelineRuns).limit(1)
  const [plan] = await db.select().from(iacPlans).limit(1)
  const [resource] = await db.select().from(iacResources).limit(1)
  if (!run || !plan || !resource) throw new Error('there is one of everything')
  const pipelineVersionId = newId('plv')
  const ofPipeline = { organizationId, pipelineId: run.pipelineId }
  await db.insert(pipelineVersions).values({ id: pipelineVersionId, ...ofPipeline, version: 2, config: { steps } })
  const inputs = { image: '2.1.0', long: 'x'.repeat(500), list: ['left out'] }
  await db.insert(pipelineRuns).values({ ...run, id: runId, pipelineVersionId, inputs, description: 'The big one' })

  const planStep = newId('step')
  asking = newId('step')
  const queue = { queueReason: 'READY', queueMetadata: {} } as const
  const step = (id: string, stepId: string) => ({
    id,
    organizationId,
    pipelineRunId: runId,
    engineWorkflowId: id,
    stepId,
    stepName: stepId,
    ...queue,
  })
  const approval = { requestedAt: '', expiresAt: '', onTimeout: 'reject' as const, approvers: ['ADMIN'] }
  await db.insert(pipelineStepExecutions).values([
    { ...step(planStep, 'plan'), stepType: 'iac:plan', status: 'SUCCESS' },
    { ...step(asking, 'gate'), stepType: 'approval', status: 'PENDING_APPROVAL', approval },
  ])
  const summary = { changeCounts: { DELETE: 6, REPLACE: 1, CREATE: 2 }, driftedCount: 0, cost }
  const source = { url: 'https://git.example/shop', ref: 'main', commit: '0123456789abcdef', basePath: '' }
  const ofStep = { pipelineRunId: runId, stepExecutionId: planStep }
  await db.insert(iacPlans).values({ ...plan, ...ofStep, id: planId, status: 'PLANNED', summary, source })
  const planned = (address: string, changeType: 'DELETE' | 'REPLACE') => ({
    ...resource,
    ...ofStep,
    id: newId('iac'),
    address,
    changeType,
  })
  const deleted = Array.from({ length: 6 }, (_, index) => planned(`queue[${index}]`, 'DELETE'))
  await db.insert(iacResources).values([planned('a_database', 'REPLACE'), ...deleted])
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function subjectFor(role: 'ADMIN' | 'VIEWER'): Promise<ApprovalSubject> {
  const client = new Client(world.url, await addMember(world.db, made.organizationId, role))
  const { status, body } = await client.ask('GET', `/pipeline-step-executions/${asking}?include=subject`)
  expect(status).toBe(200)
  return (body as { included: { subject: ApprovalSubject } }).included.subject
}

test('an approver sees the changes by target, losses first, with the commit and the requester', async () => {
  expect(await subjectFor('ADMIN')).toMatchObject({
    pipelineRunId: runId,
    runDescription: 'The big one',
    runInputs: { image: '2.1.0', long: expect.stringMatching(/^x{200}…$/) },
    requestedBy: expect.any(String),
    targets: expect.arrayContaining([
      {
        moduleInstanceId: made.byPath['module-instances'],
        name: expect.any(String),
        projectName: expect.any(String),
        environmentName: expect.any(String),
      },
    ]),
    plans: [
      {
        planId,
        changeCounts: { DELETE: 6, REPLACE: 1, CREATE: 2 },
        cost,
        lost: ['queue[0]', 'queue[1]', 'queue[2]', 'queue[3]', 'queue[4]'].map((address) => ({
          address,
          changeType: 'DELETE',
        })),
      },
    ],
    commits: [{ repository: 'https://git.example/shop', ref: 'main', commit: '0123456789abcdef' }],
    isApprover: true,
  })
})

test('a user who is not an approver is told so', async () => {
  expect((await subjectFor('VIEWER')).isApprover).toBe(false)
})

test('the step has the same representation with and without its subject', async () => {
  const client = new Client(world.url, await addMember(world.db, made.organizationId, 'ADMIN'))
  const path = `/pipeline-step-executions/${asking}`
  const plain = await client.ask('GET', path)
  const { body } = await client.ask('GET', `${path}?include=subject`)
  expect(plain.body).toEqual({ data: (body as { data: unknown }).data })
})

test('a commit of a connected repository is linked at the host’s web address, even over plain HTTP', async () => {
  const { organizationId } = made
  const commitsSeen = async () => (await subjectFor('ADMIN')).commits
  const commit = { repository: 'https://git.example/shop', ref: 'main', commit: '0123456789abcdef' }
  expect(await commitsSeen()).toEqual([commit])
  const place = { repoUrl: commit.repository, repoName: 'shop', visibility: 'PUBLIC', auth: { kind: 'none' } } as const
  const source = { ...place, id: newId('cs'), organizationId, type: 'GITHOSTB_SELF_HOSTED' } as const
  await world.db.insert(codeSources).values(source)
  expect(await commitsSeen()).toEqual([{ ...commit, url: 'https://git.example/shop/-/commit/0123456789abcdef' }])
  const application = { clientId: 'sluice', sealedClientSecret: '' }
  const instance = { ...application, id: newId('ghi'), organizationId, baseUrl: 'http://git.example' }
  await world.db.insert(githostbInstances).values(instance)
  expect(await commitsSeen()).toEqual([{ ...commit, url: 'http://git.example/shop/-/commit/0123456789abcdef' }])
})
