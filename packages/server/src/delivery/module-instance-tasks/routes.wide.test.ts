import { StopTaskCommand } from '@aws-sdk/client-ecs'
import type { ModuleInstanceTask, ModuleInstanceTaskLog, ModuleInstanceTasks } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const tasksOf = async (org: TestOrganization, id: string): Promise<ModuleInstanceTasks> => {
  const { status, body } = await org.client.ask('GET', `/module-instances/${id}/tasks`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as ModuleInstanceTasks
}

const untilTasks = (org: TestOrganization, id: string, what: string, isThere: (all: ModuleInstanceTask[]) => boolean) =>
  eventually(what, async () => (await tasksOf(org, id)).data, isThere, 30_000)

const logOf = (org: TestOrganization, id: string, task: string) =>
  org.client.ask('GET', `/module-instances/${id}/task-log?task=${task}`)

test('a service returns its tasks with their zone, status, image and start time', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const all = await untilTasks(org, moduleInstanceId, 'two healthy tasks', (tasks) =>
    tasks.every(({ health }) => health === 'HEALTHY'),
  )
  expect(all).toHaveLength(2)
  expect(all.map(({ zone }) => zone).sort()).toEqual(['eu-west-1a', 'eu-west-1b'])
  for (const task of all) {
    expect(task).toMatchObject({ kind: 'TASK', status: 'RUNNING', isStopped: false, version: '1', hasLog: true })
    expect(Date.parse(task.since ?? '')).not.toBeNaN()
  }
})

test('a stopped task has its reason, and a task of a release names the deployment', async () => {
  const org = await world.organization()
  const { moduleInstanceId, input } = await org.service()
  const [one] = await untilTasks(org, moduleInstanceId, 'tasks', (tasks) => tasks.length === 2)
  const stop = { cluster: input.cluster_arn, task: one?.id, reason: 'It answered too slowly.' }
  await org.clients.ecs.send(new StopTaskCommand(stop))
  const stopped = await untilTasks(org, moduleInstanceId, 'the stopped task', (tasks) =>
    tasks.some(({ id, status }) => id === one?.id && status === 'STOPPED'),
  )
  expect(stopped.find(({ id }) => id === one?.id)).toMatchObject({ isStopped: true, reason: 'It answered too slowly.' })
  expect(stopped.findIndex(({ isStopped }) => isStopped)).toBeGreaterThan(0) // running tasks come first

  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  const released = await untilTasks(org, moduleInstanceId, 'tasks of the release', (tasks) =>
    tasks.some(({ version }) => version === '2'),
  )
  for (const task of released.filter(({ version }) => version === '2')) expect(task.deploymentId).toBe(id)
})

test('a failed task has its exit code, and its log contains only its own lines', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await world.cloud.putImage({ pattern: 'shop/broken:*', behaviour: 'crash' })
  const { id } = await org.deploy(moduleInstanceId, 'shop/broken:1')
  const all = await untilTasks(org, moduleInstanceId, 'a task that died', (tasks) =>
    tasks.some(({ reason = '' }) => reason.includes('exit code 1')),
  )
  const died = all.find(({ reason = '' }) => reason.includes('exit code 1'))
  expect(died).toMatchObject({ reason: 'Essential container in task exited · app: exit code 1', version: '1' })
  const { status, body } = await logOf(org, moduleInstanceId, died?.id ?? '')
  expect(status, JSON.stringify(body)).toBe(200)
  const { containers } = (body as { data: ModuleInstanceTaskLog }).data
  expect(containers.map(({ name }) => name)).toEqual(['app'])
  await org.untilStatus(id, 'ERROR', 'ROLLED_BACK')
})

test('the log of a task of another service in the same cluster is not returned', async () => {
  const org = await world.organization({ delivery: false })
  const [one, other] = [await org.service(), await org.service()]
  const [task] = await untilTasks(org, other.moduleInstanceId, 'tasks', (tasks) => tasks.length === 2)
  expect(await logOf(org, other.moduleInstanceId, task?.id ?? '')).toMatchObject({ status: 200 })
  expect(await logOf(org, one.moduleInstanceId, task?.id ?? '')).toMatchObject({
    body: { data: { containers: [], error: { code: 'Sluice:ModuleInstances:TASK_NOT_FOUND' } } },
  })
})

test('concurrent viewers share one read of the cloud', async () => {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service()
  const before = (await org.calls('DescribeTasks')).length
  const answers = await Promise.all(Array.from({ length: 50 }, () => tasksOf(org, moduleInstanceId)))
  expect(new Set(answers.map(({ meta }) => meta.observedAt)).size).toBe(1)
  const calls = (await org.calls('DescribeTasks')).length - before
  expect(calls).toBeGreaterThan(0)
  expect(calls, 'the SDK repeats a call that is not answered within 10 s, at most twice').toBeLessThanOrEqual(3)
})

test('an error of the cloud is returned with its message', async () => {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service()
  await org.deny('ecs:ListTasks')
  const path = `/module-instances/${moduleInstanceId}/tasks`
  expect((await tasksOf(org, moduleInstanceId)).meta.error).toMatchObject({
    code: 'Sluice:ModuleInstances:TASKS_NOT_SHOWN',
    message: expect.stringContaining('ecs:ListTasks'),
  })
  const stranger = await world.organization({ delivery: false })
  expect((await stranger.client.ask('GET', path)).status).toBe(404)
})

test('a function returns its versions with their share of the traffic', async () => {
  const org = await world.organization()
  const fn = await testFunction(org)
  const { id } = await fn.deploy()
  await org.untilStatus(id, 'SUCCESS')
  const all = await untilTasks(org, fn.moduleInstanceId, 'both versions', (tasks) => tasks.length === 2)
  expect(all).toMatchObject([
    { id: '2', kind: 'FUNCTION_VERSION', version: '2', trafficPercent: 100, aliases: ['live'], deploymentId: id },
    { id: '1', kind: 'FUNCTION_VERSION', aliases: [] },
  ])
})

test('a group returns its instances with their zone, health and release', async () => {
  const org = await world.organization()
  const group = await createGroup(world, org)
  const ids = await untilReachable(org, group, 3)
  expect((await tasksOf(org, group.moduleInstanceId)).data).toEqual([]) // no release yet
  const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
  await org.untilStatus(id, 'SUCCESS')
  const all = await untilTasks(org, group.moduleInstanceId, 'the release', (tasks) =>
    tasks.some(({ deploymentId }) => deploymentId === id),
  )
  expect(all.map((machine) => machine.id).sort()).toEqual(ids.toSorted())
  for (const machine of all) {
    expect(machine).toMatchObject({ kind: 'MACHINE', health: 'HEALTHY', isStopped: false, hasLog: false, version: '2' })
    expect(machine.zone).toMatch(/^eu-west-1[a-c]$/)
  }
})

test('a site returns the served directory, and an instance without a known resource returns nothing', async () => {
  const org = await world.organization()
  const site = await createTestSite(world, org, { active: 'r/1' })
  expect((await tasksOf(org, site.moduleInstanceId)).data).toEqual([])
  await site.release('r/2')
  expect((await tasksOf(org, site.moduleInstanceId)).data).toMatchObject([{ kind: 'DIRECTORY', version: 'r/2' }])
})
