import { type Deployment, failures } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { blueGreen, canary, pausing, pausingBeforeShifts } from '../../testing/strategies.ts'
import { pausesOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let organization: TestOrganization
let pipelines: Pipelines

beforeAll(async () => {
  world = await sharedWorld()
  organization = await world.organization()
  pipelines = organization.pipelines
})

const deploy = (given: object, more: object = {}) => ({ id: 'deploy', type: 'deploy', with: given, ...more })
const deploymentsOf = (runId: string) =>
  organization.client.done<Deployment[]>('GET', `/deployments?pipelineRunId=${runId}`)
const image = { image_ref: 'shop/app:2' }

/** Returns the deployment of a run, once it exists. */
async function deploymentOf(runId: string): Promise<Deployment> {
  const [deployment] = await eventually(
    'a deployment',
    () => deploymentsOf(runId),
    ({ length }) => length > 0,
  )
  if (!deployment) throw new Error('there is no deployment')
  return deployment
}

describe('a deploy step', () => {
  test('creates one deployment that names the run, and ends with it', async () => {
    const { moduleInstanceId } = await organization.service()
    const run = await pipelines.run([
      deploy({ module_instance_id: moduleInstanceId, inputs: image, description: 'Out with it' }),
    ])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    const [deployment, ...others] = await deploymentsOf(run.id)
    const step = await pipelines.step(run.id, 'deploy')
    expect(others).toEqual([])
    expect(deployment).toMatchObject({
      status: 'SUCCESS',
      triggerSource: 'PIPELINE',
      pipelineRunId: run.id,
      stepExecutionId: step.id,
      description: 'Out with it',
    })
    expect(step).toMatchObject({
      moduleInstanceId,
      outputData: { deployment_id: deployment?.id, status: 'SUCCESS' },
      statusDetail: { deploymentId: deployment?.id },
    })
  })

  test('finds the module instance by its name in an environment', async () => {
    const { moduleInstanceId } = await organization.service()
    const { givenId } = await organization.client.done<{ givenId: string }>(
      'GET',
      `/module-instances/${moduleInstanceId}`,
    )
    const run = await pipelines.run([
      deploy({ module_instance: givenId, environment: 'production', inputs: image, until: 'completed' }),
    ])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  })

  test('fails with the error of its deployment', async () => {
    const { moduleInstanceId } = await organization.service()
    const run = await pipelines.run([
      deploy({ module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:2-crash' } }),
    ])
    const over = await pipelines.untilOver(run.id)
    expect(over.status).toBe('ERROR')
    const [deployment] = await deploymentsOf(run.id)
    const { error } = await pipelines.step(run.id, 'deploy')
    expect(deployment?.status).not.toBe('SUCCESS')
    expect(error).toMatchObject({
      code: deployment?.error?.code,
      message: deployment?.error?.message,
      metadata: { deploymentId: deployment?.id },
    })
  })

  test.each([
    ['a module instance that is not there', { module_instance_id: '<< inputs.target >>' }, failures.targetMissing.code],
    ['inputs that the module does not take', { inputs: { nonsense: 1 } }, 'Sluice:Deployments:INPUT_INVALID'],
  ])('is rejected with %s', async (_, given, code) => {
    const { moduleInstanceId } = await organization.service()
    const inputs = [{ id: 'target', type: 'string', default: 'mi_none' }]
    const run = await pipelines.run([deploy({ module_instance_id: moduleInstanceId, ...given })], { inputs })
    await pipelines.untilOver(run.id)
    expect(await pipelines.step(run.id, 'deploy')).toMatchObject({ status: 'ERROR', error: { code } })
    expect(await deploymentsOf(run.id)).toEqual([])
  })

  test('is cancelled with the run: its deployment is rolled back before the run ends', async () => {
    const { moduleInstanceId } = await organization.service(pausingBeforeShifts(canary))
    const run = await pipelines.run([deploy({ module_instance_id: moduleInstanceId, inputs: image })])
    const { id } = await deploymentOf(run.id)
    await organization.untilPaused(id)
    expect(await pipelines.cancel(run.id)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
    expect(await organization.get(id)).toMatchObject({ status: 'ROLLED_BACK' })
    expect(await pipelines.step(run.id, 'deploy')).toMatchObject({ status: 'CANCELLED' })
  })

  test('that exceeds its timeout is stopped, and its deployment rolled back', async () => {
    const { moduleInstanceId } = await organization.service(pausingBeforeShifts(canary))
    const given = { module_instance_id: moduleInstanceId, inputs: image }
    const run = await pipelines.run([deploy(given, { timeout_seconds: 2 })])
    expect(await pipelines.untilOver(run.id)).toMatchObject({
      status: 'ERROR',
      error: { metadata: { stepCode: failures.stepTimedOut.code } },
    })
    expect(await deploymentOf(run.id)).toMatchObject({ status: 'ROLLED_BACK' })
  })
})

describe('deploy and deploy-swap', () => {
  const strategies = [
    ['blue/green', pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])],
    ['a canary', pausingBeforeShifts(canary)],
  ] as const

  test.each(strategies)('release %s in two steps with an approval between them', async (_, strategy) => {
    const { moduleInstanceId } = await organization.service(strategy)
    const run = await pipelines.run([
      deploy({ module_instance_id: moduleInstanceId, inputs: image, until: 'paused' }),
      { id: 'gate', type: 'approval' },
      { id: 'swap', type: 'deploy-swap' },
    ])
    const { id } = await deploymentOf(run.id)
    const before = await pipelines.untilStep(run.id, 'gate', 'PENDING_APPROVAL')
    expect(before.status).toBe('PENDING_APPROVAL')
    expect(await pipelines.step(run.id, 'deploy')).toMatchObject({
      status: 'SUCCESS',
      outputData: { deployment_id: id, status: 'IN_PROGRESS', hook_id: expect.any(String) },
    })
    expect(await organization.get(id)).toMatchObject({ status: 'IN_PROGRESS' })
    await pipelines.approve(run.id, 'gate')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    const deployment = await organization.get(id)
    expect(deployment.status).toBe('SUCCESS')
    expect(pausesOf(deployment).length).toBeGreaterThan(0)
    expect(await pipelines.step(run.id, 'swap')).toMatchObject({
      moduleInstanceId,
      inputData: { deployment_id: id },
      outputData: { deployment_id: id, status: 'SUCCESS' },
    })
    expect(await deploymentsOf(run.id)).toHaveLength(1)
  })

  test.each([
    ['cancelled', (id: string) => pipelines.cancel(id), 'CANCELLED'],
    ['turned down', (id: string) => pipelines.reject(id, 'gate', 'not today'), 'ERROR'],
  ] as const)('leave nothing unfinished if the run is %s between them', async (_, end, status) => {
    const { moduleInstanceId } = await organization.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
    const run = await pipelines.run([
      deploy({ module_instance_id: moduleInstanceId, inputs: image, until: 'paused' }),
      { id: 'gate', type: 'approval' },
      { id: 'swap', type: 'deploy-swap' },
    ])
    await pipelines.untilStep(run.id, 'gate', 'PENDING_APPROVAL')
    const { id } = await deploymentOf(run.id)
    await end(run.id)
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status })
    expect(await organization.untilStatus(id, 'ROLLED_BACK')).toMatchObject({
      error: { code: failures.cancelled.code },
    })
  })

  test('end with an error if the deployment was rolled back in between', async () => {
    const { moduleInstanceId } = await organization.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
    const run = await pipelines.run([
      deploy({ module_instance_id: moduleInstanceId, inputs: image, until: 'paused' }),
      { id: 'gate', type: 'approval' },
      { id: 'swap', type: 'deploy-swap' },
    ])
    await pipelines.untilStep(run.id, 'gate', 'PENDING_APPROVAL')
    const { id } = await deploymentOf(run.id)
    await organization.cancel(id)
    await organization.untilStatus(id, 'ROLLED_BACK')
    await pipelines.approve(run.id, 'gate')
    await pipelines.untilOver(run.id)
    expect(await pipelines.step(run.id, 'swap')).toMatchObject({
      status: 'ERROR',
      error: { metadata: { deploymentId: id, deploymentStatus: 'ROLLED_BACK' } },
    })
  })
})
