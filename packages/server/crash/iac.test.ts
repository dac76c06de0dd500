import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AuditEvent,
  type Freeze,
  failures,
  type IacPlan,
  type IacStateVersion,
  type PipelineRun,
  type PipelineStepExecution,
  type Policy,
  type Project,
  type StackWorkspace,
  type StepLogPage,
} from '@sluice/contract'
import { expect, test } from 'vitest'
import { missingToolReason } from '../src/infrastructure/iac-steps/iac-world.fixture.ts'
import { eventually } from '../src/testing/eventually.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { lookMs, PatientClient } from './patient-client.ts'
import { Progress } from './progress.ts'
import type { ServiceProcess } from './service-process.ts'

const why = await missingToolReason()
/** Time limit in milliseconds: everything starts again after each kill, perhaps on a busy machine. */
const patience = 120_000

test.skipIf(why !== undefined)(
  `an apply goes on while the service is killed in its plan, its approval and its midst${why === undefined ? '' : ` [${why}]`}`,
  async () => {
    const { service, people } = await startCrashWorld({ speed: 60, people: (world) => world.organization() })
    await service.ready()
    const { client } = people
    const [project] = await client.done<Project[]>('GET', '/projects')
    const pipelines = new Pipelines(client, project?.id ?? '')
    const data = { projectId: pipelines.projectId, givenId: 'network', name: 'Network' }
    const { id: stackId } = await client.done<{ id: string }>('POST', '/stacks', { data })
    const main = `
      resource "terraform_data" "slow" {
        count = 2
        provisioner "local-exec" { command = "echo made; sleep 15" }
      }`
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: { stack: 'network', source: { files: { 'main.tf': main } } } },
      { id: 'apply', type: 'iac:apply', approval: {} },
    ])

    await pipelines.untilStep(run.id, 'plan', 'IN_PROGRESS', 'SUCCESS')
    await crash(service)
    await eventually(
      'the plan to wait for approval',
      () => pipelines.step(run.id, 'apply'),
      ({ status }) => status === 'PENDING_APPROVAL',
      patience,
    )
    await crash(service)
    await pipelines.approve(run.id, 'apply')
    /** Returns the log lines of created resources. */
    const lines = async () => {
      const { id } = await pipelines.step(run.id, 'apply')
      const pieces = await client.done<StepLogPage['data']>('GET', `/pipeline-step-executions/${id}/logs?limit=100`)
      const text = pieces.map((piece) => piece.text).join('')
      return text.split('\n').filter((line) => line.endsWith('): made'))
    }
    await eventually('the apply to be in its midst', lines, ({ length }) => length === 2, patience)
    await crash(service)
    const over = await eventually(
      'the run to be over',
      () => pipelines.get(run.id),
      ({ status }) => ['SUCCESS', 'ERROR', 'CANCELLED'].includes(status),
      patience,
    )

    expect(over.status, JSON.stringify(await pipelines.steps(run.id), null, 2)).toBe('SUCCESS')
    expect(await lines(), 'each was made once').toHaveLength(2)
    expect(await client.done<IacPlan[]>('GET', `/iac-plans?pipelineRunId=${run.id}`)).toMatchObject([
      { status: 'APPLIED' },
    ])
    const [workspace] = await client.done<StackWorkspace[]>('GET', `/stack-workspaces?stackId=${stackId}`)
    expect(workspace?.lock).toBeUndefined()
    const path = `/stack-workspaces/${workspace?.id}/states`
    expect((await client.done<IacStateVersion[]>('GET', path))[0]).toMatchObject({ resourceCount: 2 })
  },
)

test.skipIf(why !== undefined)(
  `an apply that a freeze stops begins once, though the service is killed until after its end${why === undefined ? '' : ` [${why}]`}`,
  async () => {
    const { service, people } = await startCrashWorld({ speed: 60, people: (world) => world.organization() })
    await service.ready()
    const { client, pipelines } = people
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
    const from = inMs(-1_000)
    const window = { from, until: inMs(3_600_000) }
    const data = { name: 'Quiet weeks', stops: ['APPLIES'], window }
    const { id: freezeId } = await client.done<Freeze>('POST', '/freezes', { data })
    const stack = { projectId: pipelines.projectId, givenId: 'network', name: 'Network' }
    await client.done('POST', '/stacks', { data: stack })
    const files = { 'main.tf': 'resource "terraform_data" "web" {}' }
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: { stack: 'network', source: { files } } },
      { id: 'apply', type: 'iac:apply' },
    ])
    const isFrozen = ({ queueReason }: PipelineStepExecution) => queueReason === 'FROZEN'
    await eventually('the apply to be frozen', () => pipelines.step(run.id, 'apply'), isFrozen, patience)

    const until = inMs(3_000)
    await client.done('PATCH', `/freezes/${freezeId}`, { data: { window: { from, until } } })
    await service.kill('service and engine')
    await eventually(
      'the freeze to be over',
      async () => inMs(0),
      (now) => now > until,
    )
    service.start()
    await service.ready()
    const over = await eventually(
      'the run to be over',
      () => pipelines.get(run.id),
      ({ status }) => ['SUCCESS', 'ERROR', 'CANCELLED'].includes(status),
      patience,
    )
    expect(over.status, JSON.stringify(await pipelines.steps(run.id), null, 2)).toBe('SUCCESS')
    expect(await pipelines.step(run.id, 'apply')).toMatchObject({ attemptEpoch: 1 })
  },
)

test.skipIf(why !== undefined)(
  `a plan that a policy asks about is asked about, decided and applied once, and never past a policy that denies it meanwhile${why === undefined ? '' : ` [${why}]`}`,
  async () => {
    const { service, people } = await startCrashWorld({ speed: 60, people: settle })
    await service.ready()
    const { client } = people
    const { pipelines, planAndApply, plansOf, statesOf, untilOver } = await stackOf(people)
    const makePolicy = (data: object) =>
      client.done<Policy>('POST', '/policies', { data: { guards: 'PLANS', expression: 'false', ...data } })
    await makePolicy({ name: 'Ask first', message: 'Somebody looks at it.', effect: 'REQUIRE_APPROVAL' })

    const run = await pipelines.run(planAndApply('one'))
    const killedAt = new Set<string>()
    const progress = new Progress(`the end of ${run.id}`)
    for (;;) {
      await sleep(lookMs) // interval of the observer
      const { completedAt } = await pipelines.get(run.id)
      if (completedAt) break
      const [plan, apply] = await pipelines.steps(run.id)
      const moment = [plan?.status, apply?.status].join()
      progress.observe(moment)
      if (!killedAt.has(moment)) {
        killedAt.add(moment)
        await crash(service)
      }
      if (apply?.status !== 'PENDING_APPROVAL') continue
      const { status } = await client.ask('POST', `/pipeline-step-executions/${apply.id}/approve`)
      expect([200, 422], 'decided once').toContain(status)
    }
    expect(await pipelines.get(run.id), JSON.stringify(await pipelines.steps(run.id))).toMatchObject({
      status: 'SUCCESS',
    })
    const applied = await pipelines.step(run.id, 'apply')
    expect(applied).toMatchObject({ attemptEpoch: 1 })
    const lines = (id: string, action: string) =>
      client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${id}&action=${action}`)
    expect(await lines(applied.id, 'pipeline-step-executions.approve')).toHaveLength(1)
    expect(await plansOf(run.id)).toMatchObject([{ status: 'APPLIED' }])
    const states = await statesOf()
    expect(killedAt.size, 'the plan, the question, the decision and the apply').toBeGreaterThanOrEqual(4)

    // The engine is frozen, so that nothing starts between the decision and the policy that denies it.
    const denied = await pipelines.run(planAndApply('two'))
    const { id } = await pipelines.untilStep(denied.id, 'apply', 'PENDING_APPROVAL')
    await service.freezeEngine()
    expect((await client.ask('POST', `/pipeline-step-executions/${id}/approve`)).status).toBe(200)
    const { id: policyId } = await makePolicy({ name: 'Not now', message: 'The shop is down.' })
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
    await service.ready()
    expect(await untilOver(denied.id)).toMatchObject({ status: 'ERROR' })
    expect(await pipelines.step(denied.id, 'apply')).toMatchObject({
      status: 'ERROR',
      attemptEpoch: 1,
      error: { code: failures.applyStoppedByPolicy.code, metadata: { policyId } },
    })
    expect(await lines(policyId, 'policies.deny')).toHaveLength(1)
    expect(await statesOf(), 'nothing was applied').toEqual(states)
  },
)

test.skipIf(why !== undefined)(
  `approvals count for the plan that was seen alone, though the service dies while another changes what it was made of${why === undefined ? '' : ` [${why}]`}`,
  async () => {
    const { service, people } = await startCrashWorld({ speed: 60, people: settle })
    await service.ready()
    const { client, other } = people
    const { pipelines, planAndApply, plansOf, statesOf, untilOver } = await stackOf(people)
    const rule = { name: 'Two of us', guards: ['APPLIES'], requiredApprovals: 2 }
    await client.done('POST', '/approval-rules', { data: rule })
    const approve = (by: PatientClient, id: string) => by.ask('POST', `/pipeline-step-executions/${id}/approve`)
    const untilAsked = (runId: string) =>
      eventually(
        `the apply of ${runId} to wait for approval`,
        () => pipelines.step(runId, 'apply'),
        ({ status }) => status === 'PENDING_APPROVAL',
        patience,
      )

    // Two plans of the same state: after one is applied, the other is stale.
    const runs = [await pipelines.run(planAndApply('one')), await pipelines.run(planAndApply('two'))]
    const asked = [await untilAsked(runs[0]?.id ?? ''), await untilAsked(runs[1]?.id ?? '')]
    for (const { id } of asked) expect((await approve(client, id)).status).toBe(200)
    const decided = Promise.all(asked.map(({ id }) => approve(other, id)))
    await sleep(20) // time of the kill
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
    expect((await decided).every(({ status }) => [200, 422].includes(status))).toBe(true)
    const over = await Promise.all(runs.map(({ id }) => untilOver(id)))
    expect(over.map(({ status }) => status).toSorted()).toEqual(['ERROR', 'SUCCESS'])
    const stale = over.find(({ status }) => status === 'ERROR')?.id ?? ''
    expect((await plansOf(stale)).map(({ status }) => status)).toEqual(['STALE'])
    expect(await statesOf()).toHaveLength(1)

    // A new plan needs a new approval.
    const again = await client.done<PipelineRun>('POST', `/pipeline-runs/${stale}/retry`, { data: {} })
    const { id } = await untilAsked(again.id)
    const seen = async () => (await client.ask('GET', `/pipeline-step-executions/${id}?include=approval`)).body
    expect(await seen()).toMatchObject({ included: { approval: { approvals: [], requirements: [{ given: 0 }] } } })
    for (const by of [client, other]) {
      expect(await pipelines.step(again.id, 'apply')).toMatchObject({ status: 'PENDING_APPROVAL' })
      const answer = approve(by, id)
      await crash(service)
      expect([200, 422]).toContain((await answer).status)
    }
    expect(await untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
    expect((await plansOf(again.id)).map(({ status }) => status)).toEqual(['APPLIED'])
    expect(await statesOf()).toHaveLength(2)
  },
)

/** Creates two users who repeat requests without a response. */
async function settle(world: World) {
  const organization = await world.organization()
  const { token } = await organization.member('DEVELOPER')
  return {
    client: new PatientClient(world.url, organization.client.token),
    other: new PatientClient(world.url, token),
    projectId: organization.pipelines.projectId,
  }
}

/** Creates a stack and a pipeline that plans and applies it. */
async function stackOf({ client, projectId }: { client: PatientClient; projectId: string }) {
  const pipelines = new Pipelines(client, projectId)
  const data = { projectId, givenId: 'network', name: 'Network' }
  const { id: stackId } = await client.done<{ id: string }>('POST', '/stacks', { data })
  return {
    pipelines,
    planAndApply: (name: string) => {
      const files = { 'main.tf': `resource "terraform_data" "web" { input = "${name}" }` }
      return [
        { id: 'plan', type: 'iac:plan', with: { stack: 'network', source: { files } } },
        { id: 'apply', type: 'iac:apply' },
      ]
    },
    plansOf: (runId: string) => client.done<IacPlan[]>('GET', `/iac-plans?pipelineRunId=${runId}`),
    /** Returns all states that were ever applied. */
    statesOf: async () => {
      const [workspace] = await client.done<StackWorkspace[]>('GET', `/stack-workspaces?stackId=${stackId}`)
      return workspace ? client.done<IacStateVersion[]>('GET', `/stack-workspaces/${workspace.id}/states`) : []
    },
    untilOver: (runId: string) => pipelines.untilOver(runId, patience),
  }
}

/** Kills the service and its engine, and starts them again. */
async function crash(service: ServiceProcess): Promise<void> {
  await service.kill('service and engine')
  service.start()
  await service.ready()
}
