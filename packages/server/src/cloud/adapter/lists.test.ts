import { expect, test } from 'vitest'
import { startAnsweringCloud } from './answering-cloud.fixture.ts'
import { findServiceDeployment, listServiceDeployments } from './ecs/service-deployments.ts'
import { findCommand } from './ecs/tasks.ts'
import { findCommand as findMachineCommand } from './machines/commands.ts'

const place = {
  clusterArn: 'arn:aws:ecs:eu-west-1:000000000001:cluster/main',
  serviceArn: 'arn:aws:ecs:eu-west-1:000000000001:service/main/web',
}
const began = new Date('2026-11-20T10:00:00Z')
const deployment = (number: number) => ({
  serviceDeploymentArn: `arn:aws:ecs:eu-west-1:000000000001:service-deployment/main/web/d${number}`,
  targetServiceRevisionArn: `arn:aws:ecs:eu-west-1:000000000001:service-revision/main/web/${number}`,
  createdAt: began.getTime() / 1000 + number,
})

/** Starts a fake cloud that lists in unsorted pages of two. */
const listing = (numbers: number[]) =>
  startAnsweringCloud(({ input }) => {
    const from = Number(input.nextToken ?? 0)
    const nextToken = from + 2 < numbers.length ? { nextToken: String(from + 2) } : {}
    return { answer: { serviceDeployments: numbers.slice(from, from + 2).map(deployment), ...nextToken } }
  })

test('a release is found among all that started since it began, in whatever order the cloud lists them', async () => {
  await using cloud = await listing([40, 7, 31, 22, 5])
  const ours = { externalDeploymentId: 'ecs-svc/5', since: began }
  expect(await findServiceDeployment(cloud.clients.ecs, place, ours)).toMatch(/\/d5$/)
  const after = began.getTime() / 1000 - 86_400 // by the server's clock, which may be wrong
  expect(cloud.calls.map(({ input }) => input.createdAt)).toEqual([{ after }, { after }, { after }])
})

test('lists are sorted newest first', async () => {
  await using cloud = await listing([7, 31, 22])
  const found = await listServiceDeployments(cloud.clients.ecs, place, began)
  expect(found.map(({ serviceDeploymentArn }) => serviceDeploymentArn?.split('/').at(-1))).toEqual(['d31', 'd22', 'd7'])
})

test('a stopped command is found by `startedBy` among the stopped tasks of its family', async () => {
  const [ours, other] = ['ours', 'other'].map((name) => `arn:aws:ecs:eu-west-1:000000000001:task/main/${name}`)
  await using cloud = await startAnsweringCloud(({ operation, input }) => {
    if (operation === 'DescribeTasks') {
      return {
        answer: {
          tasks: [
            { taskArn: other, startedBy: 'dep_2' },
            { taskArn: ours, startedBy: 'dep_1 pre' },
          ],
        },
      }
    }
    return { answer: { taskArns: input.startedBy === undefined ? [other, ours] : [] } }
  })
  const taskDefinitionArn = 'arn:aws:ecs:eu-west-1:000000000001:task-definition/web:7'
  expect(await findCommand(cloud.clients.ecs, { place, taskDefinitionArn, name: 'dep_1 pre' })).toBe(ours)
  const [running, stopped] = cloud.calls.map(({ input }) => input)
  expect(running).toEqual({ cluster: place.clusterArn, startedBy: 'dep_1 pre' })
  expect(stopped).toMatchObject({ family: 'web', desiredStatus: 'STOPPED' })
})

test('a remote command is searched for from a day before it was sent, because the server’s clock may be wrong', async () => {
  await using cloud = await startAnsweringCloud(() => ({
    answer: { Commands: [{ CommandId: 'c-1', Comment: 'dep_1 wave 1' }] },
  }))
  expect(await findMachineCommand(cloud.clients.ssm, 'AWS-RunShellScript', 'dep_1 wave 1', began)).toBe('c-1')
  expect(cloud.calls[0]?.input.Filters).toContainEqual({ key: 'InvokedAfter', value: '2026-11-19T10:00:00Z' })
})
