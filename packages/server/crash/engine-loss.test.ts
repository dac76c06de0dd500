import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { pausesOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { Random, suiteSeed } from './random.ts'
import { expectRight, plans, servicesOf } from './releases.ts'
import { isFinal, User } from './user.ts'

/** Plan of each strategy, in their order: twelve deployments in total. */
const plansByStrategy = [plans.back, plans.threeAtOnce, plans.failing, plans.back]

test('12 deployments end as expected, each effect once, although the engine loses its data half-way', async () => {
  const seed = suiteSeed()
  const { service, cloud, people } = await startCrashWorld({ speed: 60, people: settle })
  const user = new User(people.client, new Random(seed))
  const working = Promise.all(
    plansByStrategy.map((carryOut, index) =>
      carryOut(user, people.moduleInstanceIds[index] ?? '', new Random(seed + index)),
    ),
  )
  const isHalfWay = (list: Awaited<ReturnType<User['list']>>) =>
    list.filter(isFinal).length >= 3 && list.some((one) => one.status === 'IN_PROGRESS' && pausesOf(one).length > 0)
  await eventually('half of the work to be done', () => user.list(), isHalfWay, 60_000)

  await service.kill('service and engine')
  await service.forgetEngine()
  service.start()

  const outcomes = (await working).flat()
  expectRight(outcomes)
  expect(outcomes).toHaveLength(12)
  const deployments = await user.list()
  expect(deployments).toHaveLength(12)
  await expectEachEffectOnce(cloud, deployments)
  expect(service.ownEnds).toEqual([])
  await service.stop()
  expect(await service.leftOver()).toEqual([])
})

async function settle(world: World) {
  const concurrency = { queue_size: 3, queue_overflow: 'oldest' }
  const organization = await world.organization({ delivery: false, deploy: { concurrency } })
  return { client: organization.client, moduleInstanceIds: await servicesOf(organization) }
}
