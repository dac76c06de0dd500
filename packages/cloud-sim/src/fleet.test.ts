import {
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling'
import {
  CancelCommandCommand,
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  GetParameterCommand,
  ListCommandsCommand,
  PutParameterCommand,
} from '@aws-sdk/client-ssm'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { account, startCloud } from './testing/cloud.ts'
import {
  createWorkers,
  describeCommand,
  describeWorkers,
  instanceIds,
  invocationsOf,
  sendRelease,
  waitForCommand,
} from './testing/fleet.ts'
import { startReceiver } from './testing/receiver.ts'

const statuses = async (...of: Parameters<typeof invocationsOf>) =>
  (await invocationsOf(...of)).map(({ Status }) => Status).sort()

test('a group launches and terminates instances to match its desired capacity', async () => {
  await using cloud = await startCloud()
  const before = await createWorkers(cloud)
  expect((await describeWorkers(cloud)).Instances?.map(({ LifecycleState }) => LifecycleState)).toEqual(
    Array(3).fill('InService'),
  )
  const wish = { AutoScalingGroupName: 'workers', DesiredCapacity: 4 }
  await cloud.autoScaling.send(new SetDesiredCapacityCommand(wish))
  const [joining] = (await describeWorkers(cloud)).Instances?.slice(-1) ?? []
  expect(joining?.LifecycleState).toBe('Pending')
  await cloud.control.advance(30)
  const managed = await cloud.ssm.send(new DescribeInstanceInformationCommand({}))
  // Its agent registers later.
  expect(managed.InstanceInformationList?.map(({ InstanceId }) => InstanceId)).toEqual(before)
  await cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'workers', MaxSize: 1 }))
  await cloud.control.advance(60)
  expect(instanceIds(await describeWorkers(cloud))).toEqual([joining?.InstanceId])
})

test('a requested capacity must be within the bounds', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud)
  const update = (changes: object) =>
    cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'workers', ...changes }))
  await expect(update({ MaxSize: 2, DesiredCapacity: 3 })).rejects.toMatchObject({ name: 'ValidationError' })
  await expect(update({ MinSize: 2, DesiredCapacity: 1 })).rejects.toMatchObject({ name: 'ValidationError' })
  expect(await describeWorkers(cloud)).toMatchObject({ DesiredCapacity: 3 })
  await update({ MaxSize: 2 })
  expect(await describeWorkers(cloud)).toMatchObject({ MaxSize: 2, DesiredCapacity: 2 })
})

test('a manually terminated instance is replaced', async () => {
  await using cloud = await startCloud()
  const [first = '', ...others] = await createWorkers(cloud)
  const input = { InstanceId: first, ShouldDecrementDesiredCapacity: false }
  await cloud.autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(input))
  await cloud.control.advance(60)
  const now = instanceIds(await describeWorkers(cloud))
  expect(now).toHaveLength(3)
  expect(now).toEqual(expect.arrayContaining(others))
  expect(now).not.toContain(first)
})

test('a command runs on one instance, then on two, up to its concurrency, and each reports its result', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud, 4)
  const id = await sendRelease(cloud, 'app:2', { MaxConcurrency: '50%' })
  expect(await describeCommand(cloud, id)).toMatchObject({ Status: 'Pending', TargetCount: 0 })
  await cloud.control.advance(2)
  expect(await statuses(cloud, id)).toEqual(['InProgress', 'Pending', 'Pending', 'Pending'])
  await cloud.control.advance(20)
  expect(await statuses(cloud, id)).toEqual(['InProgress', 'InProgress', 'Pending', 'Success'])
  expect(await waitForCommand(cloud, id)).toMatchObject({ Status: 'Success', TargetCount: 4, CompletedCount: 4 })
  expect((await cloud.control.instances()).map(({ runs }) => runs)).toEqual(Array(4).fill('app:2'))
})

test('a command stops when it exceeds its allowed errors, and returns the instance’s output', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud)
  const id = await sendRelease(cloud, 'app:2-crash', { MaxConcurrency: '1', MaxErrors: '1' })
  expect(await waitForCommand(cloud, id)).toMatchObject({ Status: 'Failed', ErrorCount: 2 })
  const invocations = await invocationsOf(cloud, id)
  expect(invocations.map(({ StatusDetails }) => StatusDetails)).toEqual(['Failed', 'Failed', 'Terminated'])
  const input = { CommandId: id, InstanceId: invocations[0]?.InstanceId }
  expect(await cloud.ssm.send(new GetCommandInvocationCommand(input))).toMatchObject({
    Status: 'Failed',
    ResponseCode: 1,
    StandardErrorContent: 'The new version ended with code 1.',
  })
})

test('a command can succeed although it never reached an instance', async () => {
  await using cloud = await startCloud()
  const [lost = ''] = await createWorkers(cloud)
  await cloud.control.putAgent({ instanceId: lost, status: 'ConnectionLost' })
  const id = await sendRelease(cloud, 'app:2', { TimeoutSeconds: 60 })
  const about = { Status: 'Success', StatusDetails: 'Incomplete', DeliveryTimedOutCount: 1 }
  expect(await waitForCommand(cloud, id)).toMatchObject(about)
  expect((await invocationsOf(cloud, id)).find(({ InstanceId }) => InstanceId === lost)).toMatchObject({
    Status: 'TimedOut',
    StatusDetails: 'DeliveryTimedOut',
  })
})

test('a command without targets succeeds', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud, 0)
  const about = { Status: 'Success', StatusDetails: 'NoInstancesInTag', TargetCount: 0 }
  expect(await waitForCommand(cloud, await sendRelease(cloud, 'app:2'))).toMatchObject(about)
})

test('a cancelled command ends running invocations and starts no pending ones', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud)
  const id = await sendRelease(cloud, 'app:2-hang', { MaxConcurrency: '1' })
  await cloud.control.advance(5)
  await cloud.ssm.send(new CancelCommandCommand({ CommandId: id }))
  expect(await describeCommand(cloud, id)).toMatchObject({ Status: 'Cancelling' })
  expect(await waitForCommand(cloud, id)).toMatchObject({ Status: 'Cancelled', CompletedCount: 3 })
})

test('a command on a terminated instance has no result until both timeouts have passed', async () => {
  await using cloud = await startCloud()
  const [only = ''] = await createWorkers(cloud, 1)
  const id = await sendRelease(cloud, 'app:2', { TimeoutSeconds: 60 })
  await cloud.control.advance(2)
  const input = { InstanceId: only, ShouldDecrementDesiredCapacity: true }
  await cloud.control.setTiming({ terminateSeconds: 0 })
  await cloud.autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(input))
  await cloud.control.advance(3600)
  expect(await statuses(cloud, id)).toEqual(['InProgress'])
  expect(await waitForCommand(cloud, id)).toMatchObject({ Status: 'Failed' })
})

test('commands are listed newest first, by document and time', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud)
  const first = await sendRelease(cloud, 'app:1', { Comment: 'one' })
  await cloud.control.advance(60)
  const second = await sendRelease(cloud, 'app:2', { Comment: 'two' })
  expect((await cloud.ssm.send(new ListCommandsCommand({}))).Commands).toHaveLength(1) // the second is too new
  await cloud.control.advance(2)
  const Filters = [{ key: 'DocumentName' as const, value: 'workers-deploy' }]
  const { Commands } = await cloud.ssm.send(new ListCommandsCommand({ Filters }))
  expect(Commands?.map(({ CommandId, Comment }) => [CommandId, Comment])).toEqual([
    [second, 'two'],
    [first, 'one'],
  ])
  const { RequestedDateTime: moment = new Date() } = await describeCommand(cloud, second)
  const value = moment.toISOString().replace(/\.\d+Z$/, 'Z')
  const after = { Filters: [{ key: 'InvokedAfter' as const, value }] }
  expect((await cloud.ssm.send(new ListCommandsCommand(after))).Commands).toHaveLength(1)
})

test.each([
  ['InvalidDocument', { DocumentName: 'nothing-deploy' }],
  ['InvalidParameters', { Parameters: { imageUri: ['app:2'] } }],
  ['InvalidParameters', { Parameters: { imageUri: ['app:2'], deployId: ['1'], color: ['red'] } }],
  ['InvalidInstanceId', { Targets: undefined, InstanceIds: ['i-0123456789abcdef0'] }],
  ['InvalidTarget', { Targets: [{ Key: 'color', Values: ['red'] }] }],
  ['ValidationException', { MaxConcurrency: '0' }],
  ['ValidationException', { Comment: 'a'.repeat(101) }],
])('an invalid command is rejected: %s %j', async (name, input) => {
  await using cloud = await startCloud()
  await createWorkers(cloud, 1)
  await expect(sendRelease(cloud, 'app:2', input)).rejects.toMatchObject({ name })
})

test('a parameter is overwritten only on request', async () => {
  await using cloud = await startCloud()
  const Name = '/sluice/workers/release'
  await cloud.ssm.send(new PutParameterCommand({ Name, Value: 'one', Type: 'String' }))
  const again = { Name, Value: 'two', Type: 'String' as const }
  await expect(cloud.ssm.send(new PutParameterCommand(again))).rejects.toMatchObject({ name: 'ParameterAlreadyExists' })
  await cloud.ssm.send(new PutParameterCommand({ ...again, Overwrite: true }))
  expect((await cloud.ssm.send(new GetParameterCommand({ Name }))).Parameter).toMatchObject({
    Value: 'two',
    Version: 2,
  })
  const other = new GetParameterCommand({ Name: '/sluice/others/release' })
  await expect(cloud.ssm.send(other)).rejects.toMatchObject({ name: 'ParameterNotFound' })
})

test('a secret is returned encrypted by default and keeps its type', async () => {
  await using cloud = await startCloud()
  const Name = '/sluice/workers/credentials/dep_1'
  const put = (more: object) => cloud.ssm.send(new PutParameterCommand({ Name, Value: 'secret', ...more }))
  const read = async (WithDecryption?: boolean) => {
    const command = new GetParameterCommand({ Name, ...(WithDecryption !== undefined && { WithDecryption }) })
    return (await cloud.ssm.send(command)).Parameter?.Value
  }
  await expect(put({})).rejects.toMatchObject({ name: 'ValidationException' })
  await put({ Type: 'SecureString' })
  expect([await read(true), await read()]).toEqual(['secret', expect.not.stringContaining('secret')])
  await put({ Value: 'newer', Overwrite: true })
  expect(await read(true)).toBe('newer')
  const other = put({ Type: 'String', Overwrite: true })
  await expect(other).rejects.toMatchObject({ name: 'HierarchyTypeMismatchException' })
})

test('launches, terminations and command results are published as events', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver()
  await cloud.control.putDelivery({ account, url: receiver.url })
  await createWorkers(cloud, 1)
  const id = await sendRelease(cloud, 'app:2')
  await waitForCommand(cloud, id)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  const told = (type: string) =>
    receiver.received.map(({ event }) => event).filter((event) => event['detail-type'] === type)
  const arn = (await describeWorkers(cloud)).AutoScalingGroupARN
  expect(told('EC2 Instance Launch Successful')[0]).toMatchObject({
    source: 'aws.autoscaling',
    resources: [arn, expect.stringMatching(/:instance\/i-/)],
    detail: { AutoScalingGroupName: 'workers' },
  })
  const commandStatuses = told('EC2 Command Status-change Notification').map(({ detail }) => detail.status)
  expect(commandStatuses.sort()).toEqual(['InProgress', 'Success'])
  expect(told('EC2 Command Invocation Status-change Notification')).toHaveLength(2)
  expect(told('EC2 Command Invocation Status-change Notification')[0]?.detail).toMatchObject({
    'command-id': id,
    'document-name': 'workers-deploy',
  })
})

test('a command continues after the process is killed', async () => {
  await using cloud = await startCloud()
  await createWorkers(cloud)
  const id = await sendRelease(cloud, 'app:2', { MaxConcurrency: '1' })
  await cloud.control.advance(30)
  await cloud.killAndRestart()
  expect(await waitForCommand(cloud, id)).toMatchObject({ Status: 'Success', CompletedCount: 3 })
})
