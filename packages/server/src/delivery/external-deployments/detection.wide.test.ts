import { CreateClusterCommand, RegisterTaskDefinitionCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { PublishVersionCommand, UpdateAliasCommand, UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda'
import { SendCommandCommand } from '@aws-sdk/client-ssm'
import type { Deployment, Ec2DeploymentData, LambdaDeploymentData, StaticDeploymentData } from '@sluice/contract'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloudAccounts, cloudConnections } from '../../cloud/cloud-accounts/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { connectEngine } from '../../platform/engine/client.ts'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { seedInstances } from '../../testing/http-world.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { ecsDataOf, startWorld, type TestOrganization, type TestService, type World } from '../../testing/world.ts'
import { deployments } from '../deployments/store/tables.ts'
import { detectInAccount } from './detect.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_OUTSIDE_POLL_MS: '300' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Creates an organization whose account is polled continuously, without events. */
async function watched(delivery = false): Promise<TestOrganization> {
  const org = await world.organization({ delivery })
  await world.db
    .update(cloudConnections)
    .set({ lookAt: new Date() })
    .where(eq(cloudConnections.cloudAccountId, org.cloudAccountId))
  return org
}

const outsideOf = async ({ client }: TestOrganization, moduleInstanceId: string) => {
  const all = await client.done<Deployment[]>('GET', `/deployments?limit=100&moduleInstanceId=${moduleInstanceId}`)
  return all.filter(({ triggerSource }) => triggerSource === 'EXTERNAL')
}

async function untilFound(org: TestOrganization, moduleInstanceId: string, count = 1): Promise<Deployment> {
  const all = await eventually(
    'the release from outside to be found',
    () => outsideOf(org, moduleInstanceId),
    (found) => found.length >= count,
  )
  const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
  if (!newest || all.length > count) throw new Error(`${all.length} releases were found`)
  return newest
}

/** Waits until a poll of the account that starts from now on has ended. A poll may be in progress already. */
async function looked({ cloudAccountId }: TestOrganization): Promise<void> {
  const ofAccount = eq(cloudConnections.cloudAccountId, cloudAccountId)
  const at = async () => (await world.db.select().from(cloudConnections).where(ofAccount))[0]?.lookAt.getTime()
  for (let change = 0; change < 4; change++) {
    const before = await at()
    await eventually('another look', at, (now) => now !== before)
  }
}

async function releaseByHand({ clients: { ecs } }: TestOrganization, { input }: TestService, image = 'shop/app:9') {
  const containerDefinitions = [{ name: 'app', image, portMappings: [{ containerPort: 8080 }] }]
  const size = { cpu: '256', memory: '512', networkMode: 'awsvpc', requiresCompatibilities: ['FARGATE'] } as const
  const register = new RegisterTaskDefinitionCommand({
    family: input.family,
    containerDefinitions,
    ...size,
    requiresCompatibilities: ['FARGATE'],
  })
  const { taskDefinition } = await ecs.send(register)
  const update = { cluster: input.cluster_arn, service: input.service_arn }
  await ecs.send(new UpdateServiceCommand({ ...update, taskDefinition: taskDefinition?.taskDefinitionArn }))
}

const found = { detectedVia: 'POLL', initiationType: 'EXTERNAL' } as const

describe.concurrent('an external deployment is detected without events', () => {
  test('of a container service, even without a previous release, and followed to its end', async () => {
    const org = await watched()
    const service = await org.service()
    await looked(org)
    expect(await outsideOf(org, service.moduleInstanceId), 'how it came to be').toEqual([])
    await releaseByHand(org, service, 'shop/app:8')
    const first = await untilFound(org, service.moduleInstanceId)
    expect(first).toMatchObject({ resourceArn: service.serviceArn, data: found })
    await org.untilStatus(first.id, 'SUCCESS')
    await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'SUCCESS')
    await releaseByHand(org, service)
    const second = await untilFound(org, service.moduleInstanceId, 2)
    const done = await org.untilStatus(second.id, 'SUCCESS')
    expect(ecsDataOf(done).deployedTaskDefinition?.definition).toMatchObject({
      containerDefinitions: [{ image: 'shop/app:9' }],
    })
    await looked(org)
    expect(await outsideOf(org, service.moduleInstanceId)).toHaveLength(2)
  })

  test('of a function, and can be rolled back', async () => {
    const org = await watched()
    const fn = await testFunction(org)
    const ours = await org.untilStatus((await fn.deploy()).id, 'SUCCESS')
    await looked(org)
    const { lambda } = org.clients
    const FunctionName = fn.functionArn
    const bucket = (ours.data as LambdaDeploymentData).s3Bucket
    await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, S3Bucket: bucket, S3Key: 'v3.zip' }))
    const publish = () => lambda.send(new PublishVersionCommand({ FunctionName })).catch(() => undefined)
    const version = await eventually(
      'a version',
      async () => (await publish())?.Version,
      (one) => one === '3',
    )
    await lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: version }))
    const outside = await untilFound(org, fn.moduleInstanceId)
    expect(outside).toMatchObject({
      status: 'SUCCESS',
      externalDeploymentId: `${FunctionName}:3`,
      data: { ...found, version: '3', previousVersion: '2' },
    })
    await looked(org)
    const back = await org.rollback(outside.id)
    await org.untilStatus(back.id, 'SUCCESS')
    expect((await fn.alias()).FunctionVersion).toBe('2')
    await looked(org)
    expect(await outsideOf(org, fn.moduleInstanceId)).toHaveLength(1)
    // An external deployment of the first version runs that release, so a rollback cannot lead to a newer one.
    const newer = await org.untilStatus((await fn.deploy('v4')).id, 'SUCCESS')
    await lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: '2' }))
    const older = await untilFound(org, fn.moduleInstanceId, 2)
    expect(await org.client.ask('POST', `/deployments/${older.id}/rollback`)).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER',
        metadata: { toDeploymentId: newer.id, liveDeploymentId: older.id },
      },
    })
  })

  test('of a static site', async () => {
    const org = await watched()
    const site = await createTestSite(world, org, { releases: ['r1', 'r2', 'r3'] })
    await site.release('r1')
    await looked(org)
    await site.serve('r2')
    const outside = await untilFound(org, site.moduleInstanceId)
    expect(outside).toMatchObject({ status: 'SUCCESS', data: { ...found, prefix: 'r2', previousPrefix: 'r1' } })
    await site.release('r1')
    await looked(org)
    expect(await outsideOf(org, site.moduleInstanceId)).toHaveLength(1)
    expect((outside.data as StaticDeploymentData).promotedAt).toBeDefined()
    await site.release('r3')
    await site.serve('r2')
    const older = await untilFound(org, site.moduleInstanceId, 2)
    const back = await org.client.ask('POST', `/deployments/${older.id}/rollback`)
    expect(back, 'r2 is older than r3, also where others serve it again').toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER' },
    })
  })

  test('of a group of instances, including a failed one', async () => {
    const org = await watched()
    const group = await createGroup(world, org, { size: 2 })
    await untilReachable(org, group, 2)
    await org.untilStatus((await org.deploy(group.moduleInstanceId)).id, 'SUCCESS')
    await looked(org)
    const send = (imageUri: string) =>
      org.clients.ssm.send(
        new SendCommandCommand({
          DocumentName: `${group.name}-deploy`,
          Targets: [{ Key: 'tag:aws:autoscaling:groupName', Values: [group.name] }],
          Parameters: { imageUri: [imageUri], deployId: ['by-hand'] },
        }),
      )
    const { Command } = await send('shop/app:9')
    const outside = await untilFound(org, group.moduleInstanceId)
    expect(outside).toMatchObject({
      status: 'SUCCESS',
      externalDeploymentId: Command?.CommandId,
      data: { ...found, documentName: `${group.name}-deploy` } satisfies Partial<Ec2DeploymentData>,
    })
    await looked(org)
    expect(await outsideOf(org, group.moduleInstanceId)).toHaveLength(1)
  })
})

test('an external deployment is not detected twice by an event and a poll', async () => {
  const org = await watched(true)
  const service = await org.service()
  await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'SUCCESS')
  for (const image of ['shop/app:11', 'shop/app:12', 'shop/app:13']) {
    const before = (await outsideOf(org, service.moduleInstanceId)).length
    await releaseByHand(org, service, image)
    const { id } = await untilFound(org, service.moduleInstanceId, before + 1)
    await org.untilStatus(id, 'SUCCESS')
    await looked(org)
  }
  expect(await outsideOf(org, service.moduleInstanceId)).toHaveLength(3)
})

test('a release by Sluice is never detected as external, however it ended', async () => {
  const org = await watched()
  const service = await org.service()
  const fn = await testFunction(org, {
    strategy: {
      type: 'canary',
      bake_time_in_minutes: 0,
      canary: { canary_percent: 10, canary_bake_time_in_minutes: 5 },
    },
  })
  await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'SUCCESS')
  await world.cloud.putImage({ pattern: 'shop/broken:*', behaviour: 'crash' })
  await org.untilStatus((await org.deploy(service.moduleInstanceId, 'shop/broken:1')).id, 'ROLLED_BACK', 'ERROR')
  const given = await fn.deploy()
  await org.until(
    given.id,
    'shifting',
    ({ data }) => (data as LambdaDeploymentData).aliasState?.additionalVersion !== undefined,
  )
  await org.cancel(given.id)
  await org.untilStatus(given.id, 'ROLLED_BACK', 'CANCELLED')
  await looked(org)
  expect(await outsideOf(org, service.moduleInstanceId)).toEqual([])
  expect(await outsideOf(org, fn.moduleInstanceId)).toEqual([])
})

test('a thousand services need little more than a hundred calls', async () => {
  const org = await world.organization({ delivery: false })
  const ids = await seedInstances(world.db, org.id, 1_000)
  const [first] = await org.client.done<{ projectId: string; environmentId: string }[]>(
    'GET',
    `/module-instances?limit=1`,
  )
  if (!first) throw new Error('there is no instance')
  const clusterArn = `arn:aws:ecs:eu-west-1:${org.accountNumber}:cluster/many`
  const rows = ids.map((moduleInstanceId, number) => {
    const serviceArn = `arn:aws:ecs:eu-west-1:${org.accountNumber}:service/many/s${number}`
    const place = { clusterArn, serviceArn }
    return {
      ...finishedDeployment,
      id: newId('dep'),
      organizationId: org.id,
      moduleInstanceId,
      projectId: first.projectId,
      environmentId: first.environmentId,
      resourceArn: serviceArn,
      data: { ...finishedDeployment.data, ...place, events: [] },
      release: { ...finishedDeployment.release, ...place, cloudAccountId: org.cloudAccountId },
    }
  })
  for (let from = 0; from < rows.length; from += 100)
    await world.db.insert(deployments).values(rows.slice(from, from + 100))
  const ofAccount = eq(cloudConnections.cloudAccountId, org.cloudAccountId)
  const [connection] = await world.db.select().from(cloudConnections).where(ofAccount)
  const [account] = await world.db.select().from(cloudAccounts).where(eq(cloudAccounts.id, org.cloudAccountId))
  if (!connection || !account?.cloudArn) throw new Error('the account is not connected')
  await org.clients.ecs.send(new CreateClusterCommand({ clusterName: 'many' }))
  await world.cloud.clearCalls()
  const engine = connectEngine({ url: 'http://127.0.0.1:9' }) // the test needs no messages
  const parts = { db: world.db, cloud: world.access, engine, clock: () => new Date(), log: pino({ level: 'silent' }) }
  await detectInAccount(parts, { account: { ...account, cloudArn: account.cloudArn }, connection })
  const calls = await world.cloud.calls({ account: org.accountNumber, limit: 10_000 })
  const counts = Object.fromEntries(
    [...Map.groupBy(calls, ({ operation }) => operation)].map(([operation, all]) => [operation, all.length]),
  )
  expect(counts.DescribeServices).toBe(100)
  expect(calls.length).toBeLessThan(110)
})
