import {
  CreateClusterCommand,
  DescribeTasksCommand,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import { onFargate, registerTaskDefinition, startCloud, type TestCloud, until } from '../testing/cloud.ts'

async function prepared(image = 'web:1') {
  const cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, image)
  return { cloud, taskDefinition }
}

const running = (command: string[]): Pick<RunTaskCommandInput, 'overrides'> => ({
  overrides: { containerOverrides: [{ name: 'web', command }] },
})

async function run(cloud: TestCloud, taskDefinition: string, input: Partial<RunTaskCommandInput>): Promise<Task> {
  const { tasks, failures } = await cloud.ecs.send(
    new RunTaskCommand({ cluster: 'main', taskDefinition, ...onFargate, ...input }),
  )
  const [task] = tasks ?? []
  if (!task) throw new Error(JSON.stringify(failures))
  return task
}

async function describe(cloud: TestCloud, taskArn = ''): Promise<Task> {
  const { tasks } = await cloud.ecs.send(new DescribeTasksCommand({ cluster: 'main', tasks: [taskArn] }))
  return tasks?.[0] ?? {}
}

const untilStopped = (cloud: TestCloud, { taskArn }: Task) =>
  until(
    cloud,
    () => describe(cloud, taskArn),
    ({ lastStatus }) => lastStatus === 'STOPPED',
  )

test.for([
  [['migrate', '--all'], 0],
  [['sh', '-c', 'exit 3'], 3],
] as const)('a one-off task runs %j and ends with the exit code %i', async ([command, exitCode]) => {
  const { cloud, taskDefinition } = await prepared()
  await using _ = cloud
  const started = await run(cloud, taskDefinition, { ...running([...command]), startedBy: 'dep_1' })
  expect(started).toMatchObject({ lastStatus: 'PROVISIONING', startedBy: 'dep_1', group: 'family:web' })
  expect(started.overrides?.containerOverrides).toEqual([{ name: 'web', command }])
  expect(await untilStopped(cloud, started)).toMatchObject({
    stopCode: 'EssentialContainerExited',
    containers: [{ name: 'web', exitCode }],
  })
})

test('a rule sets the result of a command for a number of runs', async () => {
  const { cloud, taskDefinition } = await prepared()
  await using _ = cloud
  await cloud.control.putCommand({ pattern: 'migrate*', exitCode: 7, times: 1 })
  const first = await untilStopped(cloud, await run(cloud, taskDefinition, running(['migrate', '--all'])))
  const second = await untilStopped(cloud, await run(cloud, taskDefinition, running(['migrate', '--all'])))
  expect([first, second].map(({ containers }) => containers?.[0]?.exitCode)).toEqual([7, 0])
})

test('a repeated request with the same token starts nothing, and with other parameters it is rejected', async () => {
  const { cloud, taskDefinition } = await prepared()
  await using _ = cloud
  const input = { ...running(['migrate']), clientToken: 'dep_1-pre' }
  const first = await run(cloud, taskDefinition, input)
  const again = await run(cloud, taskDefinition, input)
  expect(again.taskArn).toBe(first.taskArn)
  const { taskArns } = await cloud.ecs.send(new ListTasksCommand({ cluster: 'main' }))
  expect(taskArns).toEqual([first.taskArn])
  const other = run(cloud, taskDefinition, { ...input, ...running(['seed']) })
  await expect(other).rejects.toMatchObject({ name: 'ConflictException' })
})

test('a stopped command ends with the signal', async () => {
  const { cloud, taskDefinition } = await prepared()
  await using _ = cloud
  const started = await run(cloud, taskDefinition, running(['sleep 3600']))
  await until(
    cloud,
    () => describe(cloud, started.taskArn),
    ({ lastStatus }) => lastStatus === 'RUNNING',
  )
  await cloud.ecs.send(new StopTaskCommand({ cluster: 'main', task: started.taskArn, reason: 'cancelled' }))
  expect(await untilStopped(cloud, started)).toMatchObject({
    stopCode: 'UserInitiated',
    stoppedReason: 'cancelled',
    containers: [{ exitCode: 143 }],
  })
})

test('a task with a missing image never runs, and missing capacity is a failure in the response', async () => {
  const { cloud, taskDefinition } = await prepared('web:1-missing')
  await using _ = cloud
  const missing = await untilStopped(cloud, await run(cloud, taskDefinition, running(['migrate'])))
  expect(missing).toMatchObject({ stopCode: 'TaskFailedToStart' })
  expect(missing.containers?.[0]?.exitCode).toBeUndefined()
  await cloud.control.putImage({ pattern: 'web:*', behaviour: 'no-capacity' })
  const { tasks, failures } = await cloud.ecs.send(
    new RunTaskCommand({ cluster: 'main', taskDefinition, ...onFargate }),
  )
  expect({ tasks, failures }).toMatchObject({ tasks: [], failures: [{ reason: 'RESOURCE:MEMORY' }] })
})

test.for<[string, Partial<RunTaskCommandInput>]>([
  ['no container of that name', { overrides: { containerOverrides: [{ name: 'worker', command: ['x'] }] } }],
  ['two ways to get capacity', { launchType: 'FARGATE', capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }] }],
  ['more than ten tasks', { count: 11 }],
])('a request with %s is rejected', async ([, input]) => {
  const { cloud, taskDefinition } = await prepared()
  await using _ = cloud
  const asked = run(cloud, taskDefinition, input)
  await expect(asked).rejects.toMatchObject({ name: 'InvalidParameterException' })
})
