import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { CreateClusterCommand } from '@aws-sdk/client-ecs'
import { failures } from '@sluice/contract'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { type OrganizationWithTasks, organizationWithTasks } from './tasks.fixture.ts'

let world: World
let organization: OrganizationWithTasks

beforeAll(async () => {
  world = await startWorld({ hasTasks: true })
  organization = await organizationWithTasks(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const withinMs = 60_000

/** Runs one step to its end. */
async function untilExecuted(step: { id: string }, org = organization) {
  const run = await org.pipelines.run([step])
  await org.pipelines.untilOver(run.id, withinMs)
  return org.pipelines.step(run.id, step.id)
}

const untilTask = (what: string, is: (status: string) => boolean) =>
  eventually(
    what,
    () => organization.tasks(),
    (tasks) => tasks.some(({ lastStatus = '' }) => is(lastStatus)),
    withinMs,
  )

/** Program that requests its identity, as an SDK does. */
const whoAmI = `
const asked = await fetch(process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI)
const { RoleArn, AccessKeyId } = await asked.json()
const token = process.env.SLUICE_RUNNER_TOKEN ?? 'none'
await import('node:fs/promises').then((fs) => fs.writeFile(process.env.SLUICE_OUTPUT, JSON.stringify({ RoleArn, AccessKeyId, token })))
console.log('asked')`

test("a step runs once as a task in the account with the task's role, and `logs` has the location of its runner's log", async () => {
  expect(organization.environment).toMatchObject({ isReady: true, clusterName: 'sluice-runners' })
  const argv = [process.execPath, '--input-type=module', '-e', whoAmI]
  const step = await untilExecuted(organization.command('who', { argv }))
  const { region } = organization.environment
  const roleArn = `arn:aws:iam::${organization.accountNumber}:role/sluice-runners-task-${region}`
  expect(step).toMatchObject({
    status: 'SUCCESS',
    attemptEpoch: 1,
    outputData: { RoleArn: roleArn, AccessKeyId: expect.stringMatching(/^ASIA/), token: 'none' },
  })
  expect(step.error).toBeUndefined()
  const [task] = await eventually(
    'the task to have ended',
    () => organization.tasks(),
    ([one]) => one?.lastStatus === 'STOPPED',
  )
  expect(task).toMatchObject({ stopCode: 'EssentialContainerExited', containers: [{ exitCode: 0 }] })
  expect(await organization.calls('RunTask')).toHaveLength(1)

  const { logs } = step
  expect(logs).toEqual({
    cloudAccountId: organization.cloudAccountId,
    logGroupName: '/sluice/sluice-runners',
    logStreamPrefix: `sluice/runner/${task?.taskArn?.split('/').at(-1)}`,
    region,
  })
  const stream = { logGroupName: logs?.logGroupName, logStreamName: logs?.logStreamPrefix }
  const { events = [] } = await organization.clients.logs.send(new GetLogEventsCommand(stream))
  expect(events.map(({ message }) => message).join('\n')).toContain('the runner is ready')

  const given = task?.overrides?.containerOverrides?.[0]?.environment ?? []
  const token = given.find(({ name }) => name === 'SLUICE_RUNNER_TOKEN')?.value ?? ''
  expect(token).toMatch(/^slt_/)
  const key = 'k'.repeat(43)
  for (const [path, body] of [
    [runnerPaths.redeem, { key }],
    [runnerPaths.claim, { runnerId: `rnr_${'a'.repeat(26)}`, most: 1, holds: [], waitMs: 0 }],
  ] as const) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(world.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status, path).toBe(401)
  }
})

test.each([
  ['an image that is not there', 'pull-error', /CannotPullContainerError/],
  ['an image that crashes', 'crash', /Essential container in task exited/],
] as const)("%s ends the step with the cloud's message", async (_, behaviour, said) => {
  await world.cloud.putImage({ pattern: 'sluice-runner:*', behaviour, times: 1 })
  const step = await untilExecuted(organization.command('a', { argv: ['true'] }))
  expect(step).toMatchObject({
    status: 'ERROR',
    error: { code: failures.runnerTaskNotStarted.code, description: expect.stringMatching(said) },
  })
})

test('after throttling and a lack of capacity one task is started', async () => {
  const org = await organizationWithTasks(world)
  await org.fault({ kind: 'throttle', operation: 'RunTask', times: 2 })
  await world.cloud.putImage({ pattern: 'sluice-runner:*', behaviour: 'no-capacity', times: 1 })
  expect(await untilExecuted(org.command('a', { argv: ['true'] }), org)).toMatchObject({
    status: 'SUCCESS',
    attemptEpoch: 1,
  })
  expect(await org.tasks()).toHaveLength(1)
})

test('a request with a lost response starts one task', async () => {
  const org = await organizationWithTasks(world)
  await org.fault({ kind: 'drop-answer', operation: 'RunTask', times: 1 })
  expect(await untilExecuted(org.command('a', { argv: ['true'] }), org)).toMatchObject({
    status: 'SUCCESS',
    attemptEpoch: 1,
  })
  expect(await org.tasks()).toHaveLength(1)
})

test('a task that never starts is stopped with the step', async () => {
  await world.cloud.putImage({ pattern: 'sluice-runner:*', behaviour: 'hang', times: 1 })
  const run = await organization.pipelines.run([organization.command('a', { argv: ['true'] })])
  await untilTask('the task to hang', (status) => status === 'PENDING')
  await organization.pipelines.cancel(run.id)
  expect(await organization.pipelines.untilOver(run.id, withinMs)).toMatchObject({ status: 'CANCELLED' })
  await untilTask('the task to be stopped', (status) => status === 'STOPPED')
  await eventually(
    'nothing to be left',
    () => organization.tasks(),
    (tasks) => tasks.every(({ lastStatus }) => lastStatus === 'STOPPED'),
    withinMs,
  )
})

test('a program that exceeds its timeout is stopped, and its task ends', async () => {
  const slow = organization.command('slow', { shell: 'echo begun; exec sleep 600' }, { timeout_seconds: 8 })
  expect(await untilExecuted(slow)).toMatchObject({ status: 'ERROR', error: { code: failures.stepTimedOut.code } })
  await eventually(
    'its task to end',
    () => organization.tasks(),
    (tasks) => tasks.every(({ lastStatus }) => lastStatus === 'STOPPED'),
    withinMs,
  )
})

test('a task that a user stops in the account ends its step with the reason, after its program was asked to end', async () => {
  const given = { shell: "trap 'echo asked to end; exit 1' INT; echo begun; while :; do sleep 0.1; done" }
  const run = await organization.pipelines.run([organization.command('a', given)])
  const { id } = await organization.pipelines.untilStep(run.id, 'a', 'IN_PROGRESS')
  const log = async () =>
    (await organization.client.done<{ text: string }[]>('GET', `/pipeline-step-executions/${id}/logs`))
      .map(({ text }) => text)
      .join('')
  await eventually('its program to run', log, (text) => text.includes('begun'), withinMs)
  const [task] = (await organization.tasks()).filter(({ lastStatus }) => lastStatus === 'RUNNING')
  await organization.stop(task?.taskArn ?? '', 'maintenance')
  await organization.pipelines.untilOver(run.id, withinMs)
  expect(await organization.pipelines.step(run.id, 'a')).toMatchObject({
    status: 'ERROR',
    error: { code: failures.runnerTaskEnded.code },
  })
  expect(await log()).toContain('asked to end')
})

test('an execution environment without its cluster reports that, and its steps run nowhere else', async () => {
  const org = await organizationWithTasks(world)
  const path = `/execution-environments/${org.environment.id}`
  const changed = await org.client.done('PATCH', path, { data: { clusterName: 'other' } })
  const problem = expect.stringContaining('The cluster other is not there')
  expect(changed).toMatchObject({ isReady: true, problem })
  expect(await org.client.done('POST', `${path}/check`)).toMatchObject({ isReady: true, problem })
  const step = await untilExecuted(org.command('a', { argv: ['true'] }), org)
  expect(step.error).toMatchObject({
    code: failures.runnerTaskNotStarted.code,
    description: expect.stringContaining('ClusterNotFoundException'),
  })
})

test('a missing role ends the step with its name', async () => {
  const org = await organizationWithTasks(world)
  await org.clients.ecs.send(new CreateClusterCommand({ clusterName: 'bare' }))
  const path = `/execution-environments/${org.environment.id}`
  expect(await org.client.done('PATCH', path, { data: { clusterName: 'bare' } })).toMatchObject({ isReady: true })
  const step = await untilExecuted(org.command('a', { argv: ['true'] }), org)
  expect(step.error).toMatchObject({
    code: failures.runnerTaskNotStarted.code,
    description: expect.stringContaining('role/bare-execution-eu-west-1'),
  })
})
