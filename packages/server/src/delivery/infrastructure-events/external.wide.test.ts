import { randomUUID } from 'node:crypto'
import { DescribeServicesCommand, RegisterTaskDefinitionCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import type { CloudEvent, Deployment } from '@sluice/contract'
import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { leftToService } from '../../testing/service-updates.ts'
import { blueGreen, canary, pausing, pausingBeforeShifts } from '../../testing/strategies.ts'
import {
  ecsDataOf,
  pausesOf,
  sharedWorld,
  type TestOrganization,
  type TestService,
  type World,
} from '../../testing/world.ts'
import { examineEvent } from './external.ts'
import { storeEvents } from './store.ts'
import { infrastructureEvents } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const deploymentsOf = ({ client }: TestOrganization, { moduleInstanceId }: TestService): Promise<Deployment[]> =>
  client.done('GET', `/deployments?limit=100&moduleInstanceId=${moduleInstanceId}`)

const outsideOf = async (org: TestOrganization, service: TestService) =>
  (await deploymentsOf(org, service)).filter(({ triggerSource }) => triggerSource === 'EXTERNAL')

async function deployedOnce(
  strategy: Parameters<TestOrganization['service']>[0] = null,
  { delivery = true, ...options }: { delivery?: boolean } & Parameters<TestOrganization['service']>[1] = {},
) {
  const org = await world.organization({ delivery })
  const service = await org.service(strategy, options)
  const { id } = await org.deploy(service.moduleInstanceId)
  expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  return { org, service, id }
}

/** Releases without Sluice, and returns the cloud's id of the service deployment. */
async function releaseByHand({ clients: { ecs } }: TestOrganization, { input }: TestService, image = 'shop/app:9') {
  const containerDefinitions = [{ name: 'app', image, portMappings: [{ containerPort: 8080 }] }]
  const size = {
    cpu: '256',
    memory: '512',
    networkMode: 'awsvpc' as const,
    requiresCompatibilities: ['FARGATE' as const],
  }
  const register = new RegisterTaskDefinitionCommand({ family: input.family, containerDefinitions, ...size })
  const { taskDefinition } = await ecs.send(register)
  const update = { cluster: input.cluster_arn, service: input.service_arn }
  const { service } = await ecs.send(
    new UpdateServiceCommand({ ...update, taskDefinition: taskDefinition?.taskDefinitionArn }),
  )
  return service?.deployments?.find(({ status }) => status === 'PRIMARY')?.id ?? ''
}

const untilNoticed = async (org: TestOrganization, service: TestService): Promise<Deployment> => {
  const [found] = await eventually(
    'the release from outside to be noticed',
    () => outsideOf(org, service),
    (all) => all.length > 0,
  )
  if (!found) throw new Error('there is none')
  return found
}

/** Returns the cloud's event for the start of a release. */
const begun = ({ accountNumber }: TestOrganization, { serviceArn }: TestService, deploymentId: string): CloudEvent => ({
  id: randomUUID(),
  'detail-type': 'ECS Deployment State Change',
  source: 'aws.ecs',
  account: accountNumber,
  time: new Date().toISOString(),
  region: 'eu-west-1',
  resources: [serviceArn],
  detail: { eventType: 'INFO', eventName: 'SERVICE_DEPLOYMENT_IN_PROGRESS', deploymentId },
})

describe.concurrent('an external deployment', () => {
  test('becomes a deployment that is followed to its end', async () => {
    const { org, service, id } = await deployedOnce()
    const externalDeploymentId = await releaseByHand(org, service)
    const noticed = await untilNoticed(org, service)
    expect(noticed).toMatchObject({
      externalDeploymentId,
      resourceArn: service.serviceArn,
      data: { detectedVia: 'EVENT_BUS', initiationType: 'EXTERNAL', strategy: 'rolling' },
    })
    const done = await org.untilStatus(noticed.id, 'SUCCESS')
    const before = ecsDataOf(await org.get(id)).deployedTaskDefinition
    expect(ecsDataOf(done).previousTaskDefinition?.arn).toBe(before?.arn)
    expect(ecsDataOf(done).deployedTaskDefinition?.definition).toMatchObject({
      containerDefinitions: [{ image: 'shop/app:9' }],
    })
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(2) // one by Sluice and the external one
  })

  test('can be redeployed like any other', async () => {
    const { org, service, id } = await deployedOnce()
    await releaseByHand(org, service)
    const outside = await untilNoticed(org, service)
    await org.untilStatus(outside.id, 'SUCCESS')
    await org.untilStatus((await org.redeploy(id)).id, 'SUCCESS')
    const again = await org.redeploy(outside.id)
    const done = await org.untilStatus(again.id, 'SUCCESS')
    const { deployedTaskDefinition: released } = ecsDataOf(await org.get(outside.id))
    expect(ecsDataOf(done).deployedTaskDefinition?.arn).toBe(released?.arn)
    expect(await outsideOf(org, service)).toHaveLength(1)
  })

  test('can be continued at its pauses', async () => {
    const { org, service } = await deployedOnce(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
    await releaseByHand(org, service)
    const { id } = await untilNoticed(org, service)
    const hookId = await org.untilPaused(id)
    await org.continue(id, hookId)
    const done = await org.untilStatus(id, 'SUCCESS')
    expect(pausesOf(done)).toEqual([hookId])
    expect(ecsDataOf(done)).toMatchObject({ strategy: 'blue_green', acceptedPauseControl: { hookId } })
  })

  test('has the listeners of the service, although its module names none', async () => {
    const { org, service } = await deployedOnce(pausingBeforeShifts(canary), { change: leftToService })
    await releaseByHand(org, service)
    const { id } = await untilNoticed(org, service)
    const beforeFirstShift = await org.untilPaused(id)
    await org.continue(id)
    await org.untilPaused(id, [beforeFirstShift])
    const { elbListenerState = [] } = ecsDataOf(await org.get(id))
    const {
      production_listener_rule_arn: rule,
      target_group_arn: blue,
      alternate_target_group_arn: green,
    } = service.input
    const forwarding = elbListenerState.flatMap(({ rules }) => rules).filter(({ ruleArn }) => ruleArn === rule)
    expect(new Set(forwarding.map(({ targetGroupArn }) => targetGroupArn))).toEqual(new Set([blue, green]))
  })

  test('is rolled back when a user cancels it', async () => {
    const { org, service } = await deployedOnce(pausing(blueGreen, ['POST_SCALE_UP']))
    await releaseByHand(org, service)
    const { id } = await untilNoticed(org, service)
    await org.untilPaused(id)
    await org.cancel(id)
    await org.untilStatus(id, 'ROLLED_BACK')
  })

  test('ends the active deployment of Sluice, and is followed after it', async () => {
    const { org, service } = await deployedOnce(pausing(blueGreen, ['POST_SCALE_UP']))
    const ours = await org.deploy(service.moduleInstanceId, 'shop/app:3')
    await org.untilPaused(ours.id)
    const externalDeploymentId = await releaseByHand(org, service)
    expect((await org.until(ours.id, 'over', ({ completedAt }) => completedAt !== undefined)).status).toBe('CANCELLED')
    const outside = await untilNoticed(org, service)
    expect(outside.externalDeploymentId).toBe(externalDeploymentId)
    expect((await org.continueToEnd(outside.id)).status).toBe('SUCCESS')
  })

  test('is one deployment, regardless of the number of events', async () => {
    const { org, service } = await deployedOnce(null, { delivery: false })
    const externalDeploymentId = await releaseByHand(org, service)
    const headers = { 'content-type': 'application/json', 'x-sluice-event-secret': org.eventSecret }
    const url = `${world.url}/cloud-accounts/${org.cloudAccountId}/events`
    const tell = () => {
      const body = JSON.stringify(begun(org, service, externalDeploymentId))
      return fetch(url, { method: 'POST', headers, body })
    }
    const answers = await Promise.all(Array.from({ length: 8 }, tell))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    const { id } = await untilNoticed(org, service)
    await org.untilStatus(id, 'SUCCESS')
    await Promise.all(Array.from({ length: 4 }, tell))
    await eventually('the events to be settled', unsettled(org), (left) => left === 0)
    expect(await outsideOf(org, service)).toHaveLength(1)
  })

  test('is detected although the engine never received the message of the event', async () => {
    const { org, service } = await deployedOnce(null, { delivery: false })
    const event = begun(org, service, await releaseByHand(org, service))
    await storeEvents(world.db, [rowOf(org, service, event, new Date(Date.now() - 60_000))], new Date())
    const { id } = await untilNoticed(org, service)
    await org.untilStatus(id, 'SUCCESS')
  })

  test('with a late event is ignored if Sluice has released since', async () => {
    const org = await world.organization({ delivery: false })
    const service = await org.service()
    const externalDeploymentId = await releaseByHand(org, service)
    await untilRolledOut(org, service)
    const { id } = await org.deploy(service.moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await storeEvents(
      world.db,
      [rowOf(org, service, begun(org, service, externalDeploymentId), new Date(0))],
      new Date(),
    )
    await eventually('the event to be settled', unsettled(org), (left) => left === 0)
    expect(await deploymentsOf(org, service)).toHaveLength(1)
  })

  test('that ended long ago is ignored', async () => {
    const { org, service } = await deployedOnce(null, { delivery: false })
    const externalDeploymentId = await releaseByHand(org, service)
    await untilRolledOut(org, service)
    const far = new Date(Date.now() + 86_400_000) // the reconciler ignores it
    const [{ id } = { id: '' }] = await storeEvents(
      world.db,
      [rowOf(org, service, begun(org, service, externalDeploymentId), far)],
      new Date(),
    )
    const twentyMinutesOn = () => new Date(Date.now() + 20 * 60_000)
    const log = pino({ level: 'silent' })
    const parts = { db: world.db, cloud: world.access, clock: twentyMinutesOn, log }
    expect(await examineEvent(parts, id)).toEqual([])
    expect(await outsideOf(org, service)).toEqual([])
  })
})

describe.concurrent('a release by Sluice or the cloud itself', () => {
  test.each([
    ['rolling', null],
    ['canary', canary],
    ['blue/green with a pause', pausing(blueGreen, ['POST_SCALE_UP'])],
  ])('%s: is never detected as external', async (_name, strategy) => {
    const { org, service } = await deployedOnce(strategy)
    await org.fault({ kind: 'drop-answer', operation: 'UpdateService', times: 1 })
    const second = await org.deploy(service.moduleInstanceId, 'shop/app:3')
    expect((await org.continueToEnd(second.id)).status).toBe('SUCCESS')
    await eventually('the events to be settled', unsettled(org), (left) => left === 0)
    expect(await deploymentsOf(org, service)).toHaveLength(2)
  })

  test('the rollback of a failed release is part of that release', async () => {
    const { org, service } = await deployedOnce()
    const failing = await org.deploy(service.moduleInstanceId, 'shop/app:3-crash')
    await org.untilStatus(failing.id, 'ROLLED_BACK')
    await eventually('the events to be settled', unsettled(org), (left) => left === 0)
    expect(await deploymentsOf(org, service)).toHaveLength(2)
  })

  test('a service without a module instance is ignored', async () => {
    const org = await world.organization()
    const service = await org.service(null, { change: { service_arn: arnOfAnother } })
    await releaseByHand(org, service)
    await untilRolledOut(org, service)
    await eventually('the events to be settled', unsettled(org), (left) => left === 0)
    expect(await deploymentsOf(org, service)).toEqual([])
  })

  test('the first revision of a new service is not a release', async () => {
    const org = await world.organization({ delivery: false })
    const service = await org.service()
    const { ecs } = org.clients
    const describeService = new DescribeServicesCommand({
      cluster: service.input.cluster_arn,
      services: [service.serviceArn],
    })
    const { services } = await ecs.send(describeService)
    const event = begun(org, service, services?.[0]?.deployments?.[0]?.id ?? '')
    await storeEvents(world.db, [rowOf(org, service, event, new Date(0))], new Date())
    await eventually('the event to be settled', unsettled(org), (left) => left === 0)
    expect(await deploymentsOf(org, service)).toEqual([])
  })
})

describe.concurrent('an external deployment to a service without a deployment by Sluice', () => {
  test('becomes a deployment of the module instance whose module names the service', async () => {
    const org = await world.organization()
    const service = await org.service(pausing(blueGreen, ['POST_SCALE_UP']))
    const externalDeploymentId = await releaseByHand(org, service)
    const noticed = await untilNoticed(org, service)
    expect(noticed).toMatchObject({ externalDeploymentId, resourceArn: service.serviceArn })
    expect((await org.continueToEnd(noticed.id)).status).toBe('SUCCESS')
    const again = await org.redeploy(noticed.id)
    expect((await org.continueToEnd(again.id)).status).toBe('SUCCESS')
  })
})

/** No service with this name exists. */
const arnOfAnother = 'arn:aws:ecs:eu-west-1:123456789012:service/other/other'

async function untilRolledOut({ clients: { ecs } }: TestOrganization, { input }: TestService): Promise<void> {
  const describeService = new DescribeServicesCommand({ cluster: input.cluster_arn, services: [input.service_arn] })
  const stateOf = async () => (await ecs.send(describeService)).services?.[0]?.deployments?.[0]?.rolloutState
  await eventually('the release to be over', stateOf, (state) => state === 'COMPLETED')
}

const rowOf = (org: TestOrganization, service: TestService, event: CloudEvent, wakeAt: Date) => ({
  organizationId: org.id,
  cloudAccountId: org.cloudAccountId,
  resourceArn: service.serviceArn,
  wakeAt,
  event,
})

/** Returns the number of an organization's events that are still to be examined. */
const unsettled = (org: TestOrganization) => async () => {
  const { pending } = await world.cloud.delivery()
  const rows = await world.db.select().from(infrastructureEvents).where(eq(infrastructureEvents.organizationId, org.id))
  return rows.filter(({ wakeAt }) => wakeAt !== null).length + (pending > 0 ? 1 : 0)
}
