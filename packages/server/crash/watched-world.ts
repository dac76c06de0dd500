import { blueGreen, canary, pausingBeforeShifts } from '../src/testing/strategies.ts'
import type { OrganizationWishes, World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** A fast world whose calls to the cloud are watched, and a quick user in it. */
export async function startWatched(watcher: Watcher, wishes: OrganizationWishes = {}) {
  const world = await startCrashWorld({
    speed: 1_200,
    people: (world) => settle(world, wishes),
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const { client, instances } = world.people
  return { ...world, user: new User(client, new Random(1), quickMs), instances }
}

async function settle(world: World, wishes: OrganizationWishes) {
  const organization = await world.organization({ delivery: false, ...wishes })
  const instances = {
    canary: (await organization.service(pausingBeforeShifts(canary))).moduleInstanceId,
    rolling: (await organization.service(null)).moduleInstanceId,
    blueGreen: (await organization.service(blueGreen)).moduleInstanceId,
  }
  return { client: organization.client, instances }
}
