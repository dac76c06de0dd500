import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@sluice/contract'
import { failures } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { blueGreen, canary } from '../src/testing/strategies.ts'
import { pausesOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { openGateway } from './gateway.ts'
import { Random, suiteSeed } from './random.ts'
import { plans, servicesOf } from './releases.ts'
import { User } from './user.ts'

/** Duration of the freeze in milliseconds, longer than any timeout after which another process takes its work. */
const frozenMs = 90_000
/** Length of a pause in minutes of the cloud, of which 60 pass in a real one. It ends while the service is frozen. */
const shortPause = 30

/** Operations after which the service is frozen, before it receives the response. */
const moments = ['DescribeServices', 'RegisterTaskDefinition', 'UpdateService', 'ListServiceDeployments'] as const

test('a process that was frozen for 90 s changes no finished deployment, repeats nothing, and completes what is left', async () => {
  const random = new Random(suiteSeed())
  const moment = random.pick(moments)
  let onMoment: (() => void) | undefined
  const { service, cloud, people } = await startCrashWorld({
    speed: 60,
    people: settle,
    gateway: (cloudUrl) =>
      openGateway(cloudUrl, {
        done(operation) {
          if (operation !== moment) return
          onMoment?.()
          onMoment = undefined
        },
      }),
  })
  const user = new User(people.client, random.fork())
  const [first = '', second = '', third = '', fourth = ''] = people.moduleInstanceIds
  const deploy = (moduleInstanceId: string, tag: string) => user.deploy(moduleInstanceId, `shop/app:${tag}`)

  const over = [plans.back(user, first), plans.failing(user, second, random), plans.back(user, fourth)]
  const finished = (await Promise.all(over)).flat().map(({ ended }) => ended)
  expect(finished).toHaveLength(9)

  const paused = await Promise.all([third, fourth, people.timesOut, people.goesOn].map((id) => deploy(id, '5')))
  const untilPaused = ({ id }: Deployment) =>
    eventually(
      `${id} to be paused`,
      () => user.get(id),
      (seen) => pausesOf(seen).length > 0,
    )
  const [decided, undecided, timesOut, goesOn] = (await Promise.all(paused.map(untilPaused))) as Four
  const frozen = new Promise<void>((resolve) => {
    onMoment = () => {
      service.freeze()
      resolve()
    }
  })
  await user.continue(decided.id, pausesOf(decided)[0] ?? '')
  const begun = Promise.all([deploy(first, '6'), deploy(second, '6'), deploy(people.fails, '2-crash')])
  await frozen
  const asked = user.continue(undecided.id, pausesOf(undecided)[0] ?? '') // answered when the process runs again
  await sleep(frozenMs) // the freeze itself
  service.thaw()

  await asked
  const endOf = ({ id }: Deployment) => user.follow(id)
  const [rolling, shifting, failing] = (await Promise.all((await begun).map(endOf))) as [
    Deployment,
    Deployment,
    Deployment,
  ]
  for (const one of [rolling, shifting]) expect(one).toMatchObject({ status: 'SUCCESS' })
  for (const one of [decided, undecided, goesOn]) expect(await endOf(one)).toMatchObject({ status: 'SUCCESS' })
  expect(failing).toMatchObject({ status: 'ROLLED_BACK', error: { code: failures.tasksUnhealthy.code } })
  expect(await endOf(timesOut)).toMatchObject({ status: 'ROLLED_BACK', error: { code: failures.pauseTimedOut.code } })

  for (const one of finished) expect(await user.get(one.id)).toEqual(one)
  await expectEachEffectOnce(cloud, await user.list())
  expect(service.ownEnds).toEqual([])
  await service.stop()
  expect(await service.leftOver()).toEqual([])
})

type Four = [Deployment, Deployment, Deployment, Deployment]

async function settle(world: World) {
  const organization = await world.organization({ deploy: { concurrency: { queue_size: 3 } } })
  const pausingShortly = (timeout_action: string) => ({
    ...canary,
    pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: shortPause, timeout_action }],
  })
  return {
    client: organization.client,
    moduleInstanceIds: await servicesOf(organization),
    timesOut: (await organization.service(pausingShortly('ROLLBACK'))).moduleInstanceId,
    goesOn: (await organization.service(pausingShortly('CONTINUE'))).moduleInstanceId,
    fails: (await organization.service(blueGreen)).moduleInstanceId,
  }
}
