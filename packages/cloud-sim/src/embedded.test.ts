import {
  CreateClusterCommand,
  CreateServiceCommand,
  DescribeServicesCommand,
  ECSClient,
  RegisterTaskDefinitionCommand,
} from '@aws-sdk/client-ecs'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, test } from 'vitest'
import { EmbeddedCloud } from './embedded.ts'
import { fargateSize, onFargate } from './testing/cloud.ts'

const roleArn = 'arn:aws:iam::111122223333:role/sluice'
const startsAt = new Date('2030-01-01T00:00:00.000Z')

async function openWithClient() {
  const cloud = new EmbeddedCloud({ startsAt, seed: 1 })
  const credentials = await cloud.signIn(roleArn)
  const settings = { region: 'eu-west-1', endpoint: 'http://embedded', credentials, maxAttempts: 1 }
  const ecs = new ECSClient({ ...settings, requestHandler: cloud.requestHandler as never })
  return { cloud, ecs }
}

async function createService(ecs: ECSClient) {
  await ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const containerDefinitions = [{ name: 'web', image: 'web:1' }]
  await ecs.send(new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions, ...fargateSize }))
  const service = { cluster: 'main', serviceName: 'web', taskDefinition: 'web', desiredCount: 2, ...onFargate }
  await ecs.send(new CreateServiceCommand(service))
}

async function serviceOf(ecs: ECSClient) {
  const { services } = await ecs.send(new DescribeServicesCommand({ cluster: 'main', services: ['web'] }))
  return services?.[0]
}

test('the clock of an embedded cloud moves only when advanced, and timestamps follow it', async () => {
  const { cloud, ecs } = await openWithClient()
  await createService(ecs)
  const before = await serviceOf(ecs)
  expect(before?.createdAt).toEqual(startsAt)
  expect(before?.runningCount).toBe(0)
  expect(before?.serviceArn).toBe('arn:aws:ecs:eu-west-1:111122223333:service/main/web')

  for (let next = cloud.nextDueAt(); next && (await serviceOf(ecs))?.runningCount !== 2; next = cloud.nextDueAt()) {
    cloud.advanceTo(next)
  }
  expect((await serviceOf(ecs))?.runningCount).toBe(2)
  expect(cloud.now().getTime() - startsAt.getTime()).toBeLessThan(120_000)
  cloud.close()
})

test('an embedded cloud never waits in real time', async () => {
  const { cloud } = await openWithClient()
  await expect(cloud.control.addFault({ kind: 'slow', delayMs: 60_000 })).rejects.toThrow('without real time')
  const credentials = await cloud.signIn(roleArn)
  const settings = { region: 'eu-west-1', endpoint: 'http://embedded', credentials, maxAttempts: 1 }
  const sqs = new SQSClient({ ...settings, requestHandler: cloud.requestHandler as never })
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'one' }))
  const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 })
  await expect(sqs.send(receive), 'an operation that waits').rejects.toThrow('real time')
  cloud.close()
})

test('a dropped response fails the request like a broken connection', async () => {
  const { cloud, ecs } = await openWithClient()
  await cloud.control.addFault({ kind: 'drop-answer', operation: 'CreateCluster', times: 1 })
  await expect(ecs.send(new CreateClusterCommand({ clusterName: 'main' }))).rejects.toThrow('socket hang up')
  await createService(ecs) // the work was done: creating the cluster again changes nothing
  expect(await serviceOf(ecs)).toMatchObject({ desiredCount: 2 })
  cloud.close()
})
