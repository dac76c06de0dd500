import { type Deployment, failures, type Rehearsal } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { canary } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { rehearsalsOf } from '../git-feedback/store.ts'

let world: World
let organization: TestOrganization
let pipelines: Pipelines

beforeAll(async () => {
  world = await sharedWorld()
  organization = await world.organization()
  pipelines = organization.pipelines
})

const image = (image_ref = 'shop/app:2') => ({ image_ref })
const scenarios = ['NO_FAULT']
const rehearse = (given: object) => ({ id: 'rehearse', type: 'rehearse', with: given })
const deploy = (given: object) => ({ id: 'deploy', type: 'deploy', with: given })

const deploymentsOf = (moduleInstanceId: string) =>
  organization.client.done<Deployment[]>('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)

/** Creates a service to which only rehearsed releases are deployed. */
async function guardedService() {
  const { moduleInstanceId } = await organization.service()
  await requireRehearsal(moduleInstanceId)
  return moduleInstanceId
}

async function requireRehearsal(moduleInstanceId: string) {
  await organization.client.done('POST', '/policies', {
    data: {
      name: `Rehearsed ${moduleInstanceId}`,
      guards: 'DEPLOYMENTS',
      moduleInstanceId,
      message: 'Rehearse the release first.',
      expression: "release.rehearsal.status == 'PASSED'",
      tests: [{ name: 'none', given: { release: { rehearsal: { status: 'NONE' } } }, expect: 'VIOLATED' }],
    },
  })
}

const request = (moduleInstanceId: string, inputs: object) =>
  organization.client.ask('POST', '/deployments', { data: { moduleInstanceId, description: 'By hand', inputs } })

test('a policy admits exactly the release that a step has rehearsed', async () => {
  const moduleInstanceId = await guardedService()
  const denied = { status: 422, body: { code: 'Sluice:Policies:DENIED' } }
  expect(await request(moduleInstanceId, image())).toMatchObject(denied)

  const given = { module_instance_id: moduleInstanceId, inputs: image() }
  const run = await pipelines.run([rehearse({ ...given, scenarios }), deploy(given)])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })

  const { outputData, statusDetail } = await pipelines.step(run.id, 'rehearse')
  const rehearsalId = (statusDetail as { rehearsalId: string }).rehearsalId
  expect(outputData).toMatchObject({
    rehearsal_id: rehearsalId,
    scenarios: [{ name: 'NO_FAULT', outcome: 'SUCCESS', error_seconds: 0 }],
  })
  expect(await organization.client.done<Rehearsal>('GET', `/rehearsals/${rehearsalId}`)).toMatchObject({
    moduleInstanceId,
    status: 'SUCCESS',
  })
  const reported = await rehearsalsOf(world.db, { organizationId: organization.id, pipelineRunId: run.id })
  expect(reported, 'what the Git host is shown').toMatchObject([
    { scenarios: [{ name: 'NO_FAULT', status: 'SUCCESS' }] },
  ])
  expect(await deploymentsOf(moduleInstanceId)).toMatchObject([{ status: 'SUCCESS', triggerSource: 'PIPELINE' }])
  expect(await request(moduleInstanceId, image('shop/app:3'))).toMatchObject(denied)

  // A rehearsal that does not show whether the release works takes nothing back.
  const data = { moduleInstanceId, inputs: image(), scenarios: ['TASKS_CRASH'] }
  const { id } = await organization.client.done<Rehearsal>('POST', '/rehearsals', { data })
  const get = () => organization.client.done<Rehearsal>('GET', `/rehearsals/${id}`)
  await eventually(`${id} to finish`, get, ({ status }) => status === 'SUCCESS', 120_000)
  expect(await request(moduleInstanceId, image())).toMatchObject({ status: 201 })
})

test('a rehearsal that does not succeed ends the run before it releases, with the verdict', async () => {
  const moduleInstanceId = await guardedService()
  const given = { module_instance_id: moduleInstanceId, inputs: image('shop/app:2-crash') }
  const run = await pipelines.run([rehearse({ ...given, scenarios: ['CLOUD_THROTTLES'] }), deploy(given)])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  const { error, statusDetail } = await pipelines.step(run.id, 'rehearse')
  expect(error).toMatchObject({ code: failures.rehearsalNotPassed.code, metadata: statusDetail })
  expect(error?.message).toMatch(/^The rehearsal reh_\w+ has not passed: The release (fails|is rolled back) after/)
  expect(await deploymentsOf(moduleInstanceId)).toEqual([])
  expect(await request(moduleInstanceId, given.inputs)).toMatchObject({ status: 422 })
})

test.each([
  ['inputs that the module does not take', { inputs: { nonsense: 1 } }, 'Sluice:Deployments:INPUT_INVALID'],
  ['an instance that does not exist', { module_instance_id: '<< inputs.target >>' }, failures.targetMissing.code],
])('a step with %s fails like a deploy step', async (_, given, code) => {
  const { moduleInstanceId } = await organization.service()
  const inputs = [{ id: 'target', type: 'string', default: 'mi_none' }]
  const run = await pipelines.run([rehearse({ module_instance_id: moduleInstanceId, ...given })], { inputs })
  await pipelines.untilOver(run.id)
  expect(await pipelines.step(run.id, 'rehearse')).toMatchObject({ status: 'ERROR', error: { code } })
})

test('a policy admits a function and a group of instances after a step has rehearsed them', async () => {
  const [fn, group] = [await testFunction(organization), await createGroup(world, organization, { size: 2 })]
  await untilReachable(organization, group, 2)
  for (const [moduleInstanceId, inputs] of [
    [fn.moduleInstanceId, { s3_key: 'v2.zip' }],
    [group.moduleInstanceId, image()],
  ] as const) {
    await requireRehearsal(moduleInstanceId)
    expect(await request(moduleInstanceId, inputs)).toMatchObject({ status: 422 })
    const given = { module_instance_id: moduleInstanceId, inputs }
    const run = await pipelines.run([rehearse({ ...given, scenarios }), deploy(given)])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  }
})

test('a step rehearses a composed scenario', async () => {
  const { moduleInstanceId } = await organization.service(canary)
  const composed = {
    name: 'Late',
    faults: [{ type: 'UNHEALTHY_AFTER_FIRST_SHIFT', traffic_percent: 10, after_seconds: 30 }],
  }
  const given = { module_instance_id: moduleInstanceId, inputs: image(), scenarios: [composed] }
  const run = await pipelines.run([rehearse(given)])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  const { outputData } = await pipelines.step(run.id, 'rehearse')
  expect(outputData).toMatchObject({ scenarios: [{ name: 'NO_FAULT' }, { name: 'Late', outcome: 'ROLLED_BACK' }] })
})

test('a step rehearses a static site', async () => {
  const { moduleInstanceId } = await createTestSite(world, organization)
  const given = { module_instance_id: moduleInstanceId, inputs: { directory: 'r/2' }, scenarios }
  const run = await pipelines.run([rehearse(given)])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a step fails with a scenario that does not apply to its instance', async () => {
  const { moduleInstanceId } = await createTestSite(world, organization)
  const given = { module_instance_id: moduleInstanceId, inputs: { directory: 'r/2' }, scenarios: ['PAUSE_TIMES_OUT'] }
  const run = await pipelines.run([rehearse(given)])
  await pipelines.untilOver(run.id)
  const { error } = await pipelines.step(run.id, 'rehearse')
  expect(error).toMatchObject({ code: 'Sluice:Rehearsals:NOT_SUPPORTED' })
})
