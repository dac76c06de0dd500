import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, failures } from '@sluice/contract'
import { expect } from 'vitest'
import { blueGreen, canary, linear, pausing, pausingBeforeShifts } from '../src/testing/strategies.ts'
import type { TestOrganization } from '../src/testing/world.ts'
import type { PatientAnswer } from './patient-client.ts'
import type { Random } from './random.ts'
import type { User } from './user.ts'

/** The four strategies, each with pauses where it can have them; null is rolling. */
export const strategies = [
  null,
  pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']),
  pausingBeforeShifts(linear),
  pausingBeforeShifts(canary),
] as const

/** A deployment that was accepted, how it ended, and what its end may be. */
export type Outcome = { ended: Deployment; isRight: boolean; expected: string }

/** Says of each that ended otherwise how it did: what vitest shows of an object is cut off. */
export function expectRight(outcomes: Outcome[]): void {
  const wrong = outcomes.filter(({ isRight }) => !isRight)
  expect(wrong, wrong.map(told).join('\n')).toEqual([])
}

const told = ({ ended: { id, status, error }, expected }: Outcome): string =>
  `${id} is ${status} (${error?.code}: ${error?.message}), not ${expected}`

/** One way to use a module instance: what is released to it, one after the other or at once. */
export type Plan = (user: User, moduleInstanceId: string, random: Random) => Promise<Outcome[]>

export const plans = {
  /** More than can run: the rest waits, and by the module's policy gives way. */
  async threeAtOnce(user, moduleInstanceId) {
    const first = succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:2'))
    const second = succeedsOrGivesWay(user, await user.deploy(moduleInstanceId, 'shop/app:3'))
    const third = succeedsOrGivesWay(user, await user.deploy(moduleInstanceId, 'shop/app:4'))
    return Promise.all([first, second, third])
  },
  /** A version that does not run, one that does, and the first again. */
  async failing(user, moduleInstanceId, random) {
    const trouble = random.pick(['crash', 'unhealthy', 'missing'])
    const bad = await user.deploy(moduleInstanceId, `shop/app:2-${trouble}`)
    const failed = await isRolledBack(user, bad)
    const good = await succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:3'))
    return [failed, good, await isRolledBack(user, await user.redeploy(failed.ended))]
  },
  /** A version that is taken back at some moment, and another. */
  async changingMind(user, moduleInstanceId, random) {
    const regretted = await user.deploy(moduleInstanceId, 'shop/app:2')
    const following = user.follow(regretted.id)
    await sleep(random.between(0, 3_000)) // the user cancels at a random moment
    const answer = await user.cancel(regretted.id)
    const ended = await following
    const expected = `cancelled (answer ${answer.status}${answer.wasHeard ? ' after one that was lost' : ''})`
    const cancelled: Outcome = { ended, isRight: isCancelled(ended, answer), expected }
    return [cancelled, await succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:3'))]
  },
  /** Two versions, and back to the first. */
  async back(user, moduleInstanceId) {
    const first = succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:2'))
    const second = succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:3'))
    const outcomes = await Promise.all([first, second])
    return [...outcomes, await succeeds(user, await user.redeploy(outcomes[0].ended))]
  },
} satisfies Record<string, Plan>

const endsAs = async (
  user: User,
  { id }: Deployment,
  expected: string,
  isIt: (ended: Deployment) => boolean,
): Promise<Outcome> => {
  const ended = await user.follow(id)
  return { ended, expected, isRight: isIt(ended) }
}

const succeeds = (user: User, deployment: Deployment) =>
  endsAs(user, deployment, 'SUCCESS', ({ status }) => status === 'SUCCESS')

const succeedsOrGivesWay = (user: User, deployment: Deployment) =>
  endsAs(
    user,
    deployment,
    'SUCCESS or superseded',
    ({ status, error }) => status === 'SUCCESS' || (status === 'CANCELLED' && error?.code === failures.superseded.code),
  )

const isRolledBack = (user: User, deployment: Deployment) =>
  endsAs(
    user,
    deployment,
    'ROLLED_BACK for its tasks',
    ({ status, error }) => status === 'ROLLED_BACK' && error?.code === failures.tasksUnhealthy.code,
  )

/** Refused only where it is over: by itself, or by the same cancel, whose answer was lost. */
const isCancelled = (ended: Deployment, answer: PatientAnswer): boolean =>
  answer.status === 422 ? ended.status === 'SUCCESS' || (answer.wasHeard && endsByCancel(ended)) : endsByCancel(ended)

/** Cancelled before the cloud was told, or rolled back; where the cancel came too late it says so. */
function endsByCancel({ status, error }: Deployment): boolean {
  if (status === 'ERROR') return error?.code === failures.cancelTooLate.code
  return (status === 'CANCELLED' || status === 'ROLLED_BACK') && error?.code === failures.cancelled.code
}

/** A service of each strategy in the organization: the ids of their module instances, in the order of `strategies`. */
export async function servicesOf(organization: TestOrganization): Promise<string[]> {
  const moduleInstanceIds: string[] = []
  for (const strategy of strategies) moduleInstanceIds.push((await organization.service(strategy)).moduleInstanceId)
  return moduleInstanceIds
}
