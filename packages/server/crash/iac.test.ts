import type {
  Freeze,
  IacPlan,
  IacStateVersion,
  PipelineStepExecution,
  Project,
  StackWorkspace,
  StepLogPage,
} from '@sluice/contract'
import { expect, test } from 'vitest'
import { whyNoTool } from '../src/infrastructure/iac-steps/iac-world.fixture.ts'
import { eventually } from '../src/testing/eventually.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { startCrashWorld } from './crash-world.ts'
import type { ServiceProcess } from './service-process.ts'

const why = await whyNoTool()
/** Everything starts anew after each kill, on a machine that may have little time for it. Milliseconds. */
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
    /** What has been made, each by a line of the log. */
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

/** The service and its engine die, and come back. */
async function crash(service: ServiceProcess): Promise<void> {
  await service.kill('service and engine')
  service.start()
  await service.ready()
}
