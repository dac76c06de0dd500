import { expect, test } from 'vitest'
import { startAnsweringCloud } from '../answering-cloud.fixture.ts'
import { readServiceDeployment } from './service-deployments.ts'

const now = new Date('2026-11-20T10:00:00Z')
const arnOf = (number: number) =>
  `arn:aws:ecs:eu-west-1:000000000001:service-deployment/main/web/d${String(number).padStart(2, '0')}`
const numbers = Array.from({ length: 45 }, (_, number) => number)

type Cloud = Awaited<ReturnType<typeof startAnsweringCloud>>
const look = ({ clients }: Cloud, number: number) => readServiceDeployment(clients.ecs, arnOf(number), now)
const arnsIn = (input: Record<string, unknown>) => input.serviceDeploymentArns as string[]
const running = (serviceDeploymentArn: string) => ({ serviceDeploymentArn, status: 'IN_PROGRESS' })

test('concurrent reads of releases share calls of up to twenty, and each read gets its own result', async () => {
  await using cloud = await startAnsweringCloud(({ input }) => ({
    answer: { serviceDeployments: arnsIn(input).toReversed().map(running) },
  }))
  const seen = await Promise.all(numbers.map((number) => look(cloud, number)))
  expect(seen.map(({ state }) => state.serviceDeploymentArn)).toEqual(numbers.map(arnOf))
  expect(cloud.calls.map(({ input }) => arnsIn(input).length)).toEqual(expect.arrayContaining([20, 20, 5]))
  expect(cloud.calls).toHaveLength(3)
})

test('concurrent reads of the same release make one request', async () => {
  await using cloud = await startAnsweringCloud(({ input }) => ({
    answer: { serviceDeployments: arnsIn(input).map(running) },
  }))
  await Promise.all([look(cloud, 1), look(cloud, 1)])
  expect(cloud.calls.map(({ input }) => arnsIn(input))).toEqual([[arnOf(1)]])
})

test('a release that the cloud does not return fails only its own read, with the reason from the cloud', async () => {
  await using cloud = await startAnsweringCloud(({ input }) => {
    const [lost = '', ...others] = arnsIn(input)
    return { answer: { serviceDeployments: others.map(running), failures: [{ arn: lost, reason: 'GONE' }] } }
  })
  const [lost, ...others] = await Promise.allSettled([1, 2, 3].map((number) => look(cloud, number)))
  expect(lost).toMatchObject({
    reason: { reason: 'ServiceDeploymentNotFoundException', message: expect.stringContaining('(GONE)') },
  })
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
})

test('a call rejected because of one release does not fail the others', async () => {
  await using cloud = await startAnsweringCloud(({ input }) =>
    arnsIn(input).includes(arnOf(2))
      ? { rejection: { code: 'AccessDeniedException' } }
      : { answer: { serviceDeployments: arnsIn(input).map(running) } },
  )
  const seen = await Promise.allSettled([1, 2, 3].map((number) => look(cloud, number)))
  expect(seen.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(seen[1]).toMatchObject({ reason: { name: 'CloudPermanentError', reason: 'AccessDeniedException' } })
})

test('a throttled call is not split: every read that shares it fails', async () => {
  await using cloud = await startAnsweringCloud(() => ({ rejection: { code: 'ThrottlingException' } }))
  const seen = await Promise.allSettled([1, 2, 3].map((number) => look(cloud, number)))
  expect(seen).toEqual(
    seen.map(() => expect.objectContaining({ reason: expect.objectContaining({ name: 'CloudTransientError' }) })),
  )
  expect(cloud.calls).toHaveLength(1)
})
