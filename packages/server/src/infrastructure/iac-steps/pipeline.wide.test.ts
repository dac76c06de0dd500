import type { IacPlan, IacResource, IacStateVersion, PipelineStepExecution, StackWorkspace } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { openSignals, type Signals } from '../../testing/signals.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()

describe.skipIf(why !== undefined)(`a pipeline of the iac tool${why === undefined ? '' : ` [${why}]`}`, () => {
  let signals: Signals
  let world: World
  let organization: TestOrganization
  let pipelines: Pipelines
  beforeAll(async () => {
    signals = await openSignals()
    world = await startWorld() // separate, because the runner handles signals
    organization = await world.organization()
    pipelines = organization.pipelines
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await signals?.remove()
  })

  let stacks = 0
  async function stack(): Promise<{ id: string; givenId: string }> {
    stacks += 1
    const data = { projectId: pipelines.projectId, givenId: `network-${stacks}`, name: 'Network' }
    return organization.client.done('POST', '/stacks', { data })
  }
  const get = <T>(path: string) => organization.client.done<T>('GET', path)
  const planned = (given: object, more: object = {}) => ({ id: 'plan', type: 'iac:plan', with: given, ...more })
  const files = (main: string) => ({ source: { files: { 'main.tf': main } } })

  test('lists its plan for approvers, applies it, and passes its outputs on', async () => {
    const { id: stackId, givenId } = await stack()
    const main = `
      variable "name" { type = string }
      resource "terraform_data" "web" { input = var.name }
      output "name" { value = terraform_data.web.input }`
    const { id } = await pipelines.create({
      inputs: [{ id: 'name', type: 'string' }],
      steps: [
        planned({ stack: givenId, ...files(main), variables: { name: '<< inputs.name >>' } }),
        {
          id: 'apply',
          type: 'iac:apply',
          approval: { message: '<< steps.plan.output.summary.changeCounts.CREATE >> new' },
        },
        { id: 'say', type: 'command', with: { argv: ['echo', 'it is << steps.apply.output.outputs.name >>'] } },
      ],
    })
    const run = await pipelines.start(id, { name: 'ada' })
    await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
    const [plan] = await get<IacPlan[]>(`/iac-plans?pipelineRunId=${run.id}`)
    expect(plan).toMatchObject({
      stackId,
      kind: 'PLAN',
      status: 'PLANNED',
      hasChanges: true,
      changeCounts: { CREATE: 1 },
    })
    const [resource] = await get<IacResource[]>(`/iac-resources?pipelineRunId=${run.id}`)
    expect(resource).toMatchObject({ address: 'terraform_data.web', changeType: 'CREATE', runType: 'PLAN' })
    await pipelines.approve(run.id, 'apply')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await get<IacPlan>(`/iac-plans/${plan?.id}`)).toMatchObject({ status: 'APPLIED' })
    const say = await pipelines.step(run.id, 'say')
    expect(say.inputData).toMatchObject({ argv: ['echo', 'it is ada'] })
    const [workspace] = await get<StackWorkspace[]>(`/stack-workspaces?stackId=${stackId}`)
    expect(workspace?.lock).toBeUndefined()
    const [state] = await get<IacStateVersion[]>(`/stack-workspaces/${workspace?.id}/states`)
    expect(state).toMatchObject({ sequence: 1, resourceCount: 1 })
  })

  test('stores a denied plan and never applies it', async () => {
    const { givenId } = await stack()
    const steps = [
      planned({ stack: givenId, ...files('resource "terraform_data" "a" {}') }),
      { id: 'apply', type: 'iac:apply', approval: {} },
    ]
    const run = await pipelines.run(steps)
    await pipelines.reject(run.id, 'apply', 'not today')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
    expect(await get<IacPlan[]>(`/iac-plans?pipelineRunId=${run.id}`)).toMatchObject([{ status: 'REJECTED' }])
    expect(await get<IacResource[]>(`/iac-resources?pipelineRunId=${run.id}`)).toHaveLength(1)
  })

  test('denies the plan of a run whose approval timed out', async () => {
    const { givenId } = await stack()
    const run = await pipelines.run([
      planned({ stack: givenId, ...files('resource "terraform_data" "a" {}') }),
      { id: 'apply', type: 'iac:apply', approval: { timeout_seconds: 1 } },
    ])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
    expect(await get<IacPlan[]>(`/iac-plans?pipelineRunId=${run.id}`)).toMatchObject([{ status: 'REJECTED' }])
  })

  test('allows one run at a time per stack', async () => {
    const { givenId } = await stack()
    const main = `resource "terraform_data" "a" {\n provisioner "local-exec" { command = "${signals.await('go')}" }\n}`
    const steps = [planned({ stack: givenId, ...files(main) }), { id: 'apply', type: 'iac:apply' }]
    const first = await pipelines.run(steps)
    await pipelines.untilStep(first.id, 'apply', 'IN_PROGRESS')
    const second = await pipelines.run(steps)
    const waiting = await eventually(
      'the second to wait for the stack',
      () => pipelines.step(second.id, 'plan'),
      ({ queueReason }) => queueReason === 'STACK_LOCKED',
    )
    expect(waiting.queueMetadata).toMatchObject({ heldBy: (await pipelines.step(first.id, 'apply')).id })
    await signals.give('go')
    expect(await pipelines.untilOver(first.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await pipelines.untilOver(second.id)).toMatchObject({ status: 'SUCCESS' })
  })

  test('that is cancelled during an apply stops the tool, stores what it created and leaves no lock', async () => {
    const { id: stackId, givenId } = await stack()
    const main = `
      resource "terraform_data" "first" {}
      resource "terraform_data" "slow" {
        depends_on = [terraform_data.first]
        provisioner "local-exec" { command = "sleep 100" }
      }`
    const steps = [planned({ stack: givenId, ...files(main) }), { id: 'apply', type: 'iac:apply' }]
    const run = await pipelines.run(steps)
    await eventually(
      'the first to be made',
      () => pipelines.step(run.id, 'apply'),
      ({ statusDetail }: PipelineStepExecution) => statusDetail?.done === 1,
    )
    await pipelines.cancel(run.id)
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
    const [workspace] = await get<StackWorkspace[]>(`/stack-workspaces?stackId=${stackId}`)
    expect(workspace?.lock).toBeUndefined()
    const [state] = await get<IacStateVersion[]>(`/stack-workspaces/${workspace?.id}/states`)
    expect(state?.resourceCount).toBe(2)
    const made = await get<IacResource[]>(`/iac-resources?pipelineRunId=${run.id}&address=terraform_data.first`)
    expect(made[0]).toMatchObject({ runType: 'APPLY', isInCurrentState: true })
  })
})
