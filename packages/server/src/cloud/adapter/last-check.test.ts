import { expect, test } from 'vitest'
import { startAnsweringCloud } from './answering-cloud.fixture.ts'
import { CloudTransientError } from './cloud-call.ts'
import { registerTaskDefinition } from './ecs/task-definitions.ts'
import { readCommand } from './ecs/tasks.ts'
import { withLastCheck } from './last-check.ts'

const taken = {
  answer: {
    taskDefinition: { taskDefinitionArn: 'arn:aws:ecs:eu-west-1:000000000001:task-definition/a:1', revision: 1 },
  },
}
const stoodStill = new CloudTransientError('this process stood still')

test('a process that was suspended while it built and signed a request does not send it', async () => {
  await using cloud = await startAnsweringCloud(() => taken)
  let isFresh = true
  const check = () => {
    if (!isFresh) throw stoodStill
  }
  const begun = withLastCheck(check, () => registerTaskDefinition(cloud.clients.ecs, { family: 'a' }, 'dep_1'))
  isFresh = false
  await expect(begun).rejects.toBe(stoodStill)
  expect(cloud.calls).toEqual([])
})

test('read requests and requests outside the scope are not checked', async () => {
  await using cloud = await startAnsweringCloud(({ operation }) =>
    operation === 'DescribeTasks' ? { answer: { tasks: [] } } : taken,
  )
  const reject = () => {
    throw stoodStill
  }
  const read = () => readCommand(cloud.clients.ecs, { clusterArn: 'shop' }, 'task', 'web')
  await expect(withLastCheck(reject, read)).resolves.toBeUndefined()
  await registerTaskDefinition(cloud.clients.ecs, { family: 'a' }, 'dep_1')
  expect(cloud.calls.map(({ operation }) => operation)).toEqual(['DescribeTasks', 'RegisterTaskDefinition'])
})
