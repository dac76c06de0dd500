import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, failures } from '@sluice/contract'
import { expect } from 'vitest'
import { blueGreen, canary, linear, pausing, pausingBeforeShifts } from '../src/testing/strategies.ts'
import type { TestOrganization } from '../src/testing/world.ts'
import type { PatientAnswer } from './patient-client.ts'
import type { Random } from './random.ts'
import type { User } from './user.ts'

/** Strategies with all pauses that they allow; null is rolling. */
export const strategies = [
  null,
  pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']),
  pausingBeforeShifts(linear),
  pausingBeforeShifts(canary),
] as const

/** Accepted deployment, its end, and whether that end is allowed. */
export type Outcome = { ended: Deployment; isRight: boolean; expected: string }

/** Fails with a description of each unexpected end. vitest would truncate the objects. */
export function expectRight(outcomes: Outcome[]): void {
  const wrong = outcomes.filter(({ isRight }) => !isRight)
  expect(wrong, wrong.map(describeOutcome).join('\n')).toEqual([])
}

const describeOutcome = ({ ended: { id, status, error }, expected }: Outcome): string =>
  `${id} is ${status} (${error?.code}: ${error?.message}), not ${expected}`

/** Releases to a module instance, one after another or concurrently. */
export type Plan = (user: User, moduleInstanceId: string, random: Random) => Promise<Outcome[]>

export const plans = {
  /** More releases than can run: the others wait, or are superseded by the module's queue policy. */
  async threeAtOnce(user, moduleInstanceId) {
    const first = succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:2'))
    const second = succeedsOrGivesWay(user, await user.deploy(moduleInstanceId, 'shop/app:3'))
    const third = succeedsOrGivesWay(user, await user.deploy(moduleInstanceId, 'shop/app:4'))
    return Promise.all([first, second, third])
  },
  /** A version that fails, one that works, and the first again. */
  async failing(user, moduleInstanceId, random) {
    const trouble = random.pick(['crash', 'unhealthy', 'missing'])
    const bad = await user.deploy(moduleInstanceId, `shop/app:2-${trouble}`)
    const failed = await isRolledBack(user, bad)
    const good = await succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:3'))
    return [failed, good, await isRolledBack(user, await user.redeploy(failed.ended))]
  },
  /** A version that is cancelled at a random moment, and another. */
  async changingMind(user, moduleInstanceId, random) {
    const regretted = await user.deploy(moduleInstanceId, 'shop/app:2')
    const following = user.follow(regretted.id)
    await sleep(random.between(0, 3_000)) // time of the cancel
    const answer = await user.cancel(regretted.id)
    const ended = await following
    const expected = `cancelled (answer ${answer.status}${answer.wasHeard ? ' after one that was lost' : ''})`
    const cancelled: Outcome = { ended, isRight: isCancelled(ended, answer), expected }
    return [cancelled, await succeeds(user, await user.deploy(moduleInstanceId, 'shop/app:3'))]
  },
  /** Two versions, and a rollback to the first. */
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

/**
 * Reports whether a cancel was accepted. It may be rejected only if the deployment has ended, perhaps by the same
 * cancel.
 */
const isCancelled = (ended: Deployment, answer: PatientAnswer): boolean =>
  answer.status === 422 ? ended.status === 'SUCCESS' || (answer.wasHeard && endsByCancel(ended)) : endsByCancel(ended)

/**
 * Reports whether a cancelled deployment has a valid end: cancelled before it reached the cloud, rolled back, or
 * already finished before the request.
 */
function endsByCancel({ status, error }: Deployment): boolean {
  if (status === 'ERROR') return error?.code === failures.cancelTooLate.code
  return (status === 'CANCELLED' || status === 'ROLLED_BACK') && error?.code === failures.cancelled.code
}

/** Creates a service of each strategy. Returns the IDs of their module instances, in the order of `strategies`. */
export async function servicesOf(organization: TestOrganization): Promise<string[]> {
  const moduleInstanceIds: string[] = []
  for (const strategy of strategies) moduleInstanceIds.push((await organization.service(strategy)).moduleInstanceId)
  return moduleInstanceIds
}
