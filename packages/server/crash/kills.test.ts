import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { throwFirstError } from './progress.ts'
import { Random, suiteSeed } from './random.ts'
import { expectRight, type Outcome, type Plan, plans, servicesOf } from './releases.ts'
import type { ServiceProcess } from './service-process.ts'
import { User } from './user.ts'

/** Queue policies of the organizations' modules, and whether their cloud sends events. */
const organizations = [
  { concurrency: { queue_size: 3, queue_overflow: 'oldest' }, delivery: true },
  { concurrency: { queue_size: 1, queue_overflow: 'newest' }, delivery: false },
  { concurrency: { queue_size: 1, queue_overflow: 'reject' }, delivery: true },
  { concurrency: { queue_size: 1, queue_overflow: 'oldest' }, delivery: false },
] as const

const kills = 26
/** Number of kills between the starts of two instances. With it the last one starts shortly before the last kill. */
const killsBetween = 1.5
const plansInTurn: Plan[] = Object.values(plans)

test('44 deployments end as expected, each effect once, while the service is killed 26 times', async () => {
  const seed = suiteSeed()
  const random = new Random(seed)
  const world = await startCrashWorld({ speed: 60, people: settle, isEmbedded: true })
  const users = world.people.map((one) => new User(one.client, random.fork()))

  // Every strategy runs every plan. The instances start one after another, so that there is work at every kill.
  const outcomes: Outcome[] = []
  const faults: unknown[] = []
  let unfinished = 16
  const use = async (number: number): Promise<void> => {
    const [organization, instance] = [number % 4, Math.floor(number / 4)]
    const [user, people] = [users[organization], world.people[organization]]
    const carryOut = plansInTurn[(organization + instance) % 4]
    if (!user || !people || !carryOut) throw new Error('there are four of each')
    outcomes.push(...(await carryOut(user, people.moduleInstanceIds[instance] ?? '', new Random(seed + number))))
    unfinished -= 1
  }
  const working: Promise<unknown>[] = []
  const workless: number[] = []
  while (world.service.kills < kills && faults.length === 0) {
    const isTime = working.length < 16 && working.length * killsBetween <= world.service.kills
    if (isTime) working.push(use(working.length).catch((fault) => faults.push(fault)))
    await crash(world.service, random)
    if (unfinished === 0) workless.push(world.service.kills)
  }
  await Promise.all(working)
  await world.service.ready()

  throwFirstError(faults)
  expectRight(outcomes)
  expect(outcomes).toHaveLength(44)
  expect(workless, 'kills when all was over').toEqual([])
  const deployments = (await Promise.all(users.map((user) => user.list()))).flat()
  expect(byId(deployments), 'what users saw end is what there is').toEqual(byId(outcomes.map(({ ended }) => ended)))
  await expectEachEffectOnce(world.cloud, deployments)
  expect(world.service.ownEnds).toEqual([])
  await world.service.stop()
  expect(await world.service.leftOver()).toEqual([])
})

const settle = (world: World) =>
  Promise.all(
    organizations.map(async ({ concurrency, delivery }) => {
      const organization = await world.organization({ delivery, deploy: { concurrency } })
      return { client: organization.client, moduleInstanceIds: await servicesOf(organization) }
    }),
  )

/** Kills the service after a random time, perhaps before it listens, and starts it again at once. */
async function crash(service: ServiceProcess, random: Random): Promise<void> {
  // The sleeps are the lifetime of this run.
  if (random.chance(0.2)) await sleep(random.between(0, 1_500))
  else {
    await service.ready()
    if (random.chance(0.15)) await service.killEngine()
    await sleep(random.between(100, 3_500))
  }
  await service.kill(random.chance(0.5) ? 'service' : 'service and engine')
  service.start()
}

const byId = (deployments: Deployment[]) => deployments.toSorted((a, b) => (a.id < b.id ? -1 : 1))
