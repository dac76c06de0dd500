import type { OrganizationOptions, TestOrganization, World } from '../src/testing/world.ts'
import { type CrashOptions, startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** User who releases in an own account, which identifies the calls of concurrent releases. */
export type AccountUser = { accountNumber: string; user: User }

/** Number of concurrent releases that share one kill. */
export const releasesPerKill = 8
/** Number of concurrent releases that run programs, which are more expensive. */
export const programReleasesPerKill = 3

/** Creates organizations with one user each, and what `settle` creates in them. At least one. */
export function createAccountUsers<Settled>(
  count: number,
  settle: (world: World, organization: TestOrganization) => Promise<Settled>,
  wishes: OrganizationOptions = {},
) {
  const settleOne = async (world: World): Promise<AccountUser & Settled> => {
    const organization = await world.organization({ delivery: false, ...wishes })
    const { accountNumber, client } = organization
    const user = new User(client, new Random(1), quickMs)
    return { ...(await settle(world, organization)), accountNumber, user }
  }
  return async (world: World): Promise<[AccountUser & Settled, ...(AccountUser & Settled)[]]> => {
    const first = await settleOne(world)
    const others: (AccountUser & Settled)[] = []
    while (others.length + 1 < count) others.push(await settleOne(world))
    return [first, ...others]
  }
}

/** Starts a fast environment with parties whose calls to the cloud are observed. */
export async function startObservedEnvironment<P>(
  watcher: Watcher,
  people: (world: World) => Promise<P>,
  wishes: Pick<CrashOptions<P>, 'env'> & { speed?: number } = {},
) {
  const { people: parties, ...world } = await startCrashWorld({
    speed: 1_200,
    people,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
    ...wishes,
  })
  return { ...world, parties }
}

/** Returns the results of `list` for all parties. */
export const ofAll = async <P, T>(all: readonly P[], list: (party: P) => Promise<T[]>): Promise<T[]> =>
  (await Promise.all(all.map(list))).flat()
