import type { OrganizationWishes, TestOrganization, World } from '../src/testing/world.ts'
import { type CrashWishes, startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** One who releases in an account of its own: by it the calls for releases that run at once are told apart. */
export type Party = { accountNumber: string; user: User }

/** So many release at once where one kill is for all of them. */
export const many = 8
/** The same where each runs programs: there are only so many at once. */
export const few = 3

/** Settles so many parties, each in an organization of its own with what `settle` makes in it; one at the least. */
export function parties<Settled>(
  count: number,
  settle: (world: World, organization: TestOrganization) => Promise<Settled>,
  wishes: OrganizationWishes = {},
) {
  const settleOne = async (world: World): Promise<Party & Settled> => {
    const organization = await world.organization({ delivery: false, ...wishes })
    const { accountNumber, client } = organization
    const user = new User(client, new Random(1), quickMs)
    return { ...(await settle(world, organization)), accountNumber, user }
  }
  return async (world: World): Promise<[Party & Settled, ...(Party & Settled)[]]> => {
    const first = await settleOne(world)
    const others: (Party & Settled)[] = []
    while (others.length + 1 < count) others.push(await settleOne(world))
    return [first, ...others]
  }
}

/** A fast world of parties, whose calls to the cloud are watched. */
export async function startParties<P>(
  watcher: Watcher,
  people: (world: World) => Promise<P>,
  wishes: Pick<CrashWishes<P>, 'env'> & { speed?: number } = {},
) {
  const { people: parties, ...world } = await startCrashWorld({
    speed: 1_200,
    people,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
    ...wishes,
  })
  return { ...world, parties }
}

/** What all of them have released, or else done. */
export const ofAll = async <P, T>(all: readonly P[], list: (party: P) => Promise<T[]>): Promise<T[]> =>
  (await Promise.all(all.map(list))).flat()
