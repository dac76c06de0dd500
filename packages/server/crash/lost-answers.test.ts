import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { expectEachEffectOnce } from './effects.ts'
import { reportFatalError } from './fatal-error.ts'
import { isFinal } from './user.ts'
import { startWatched } from './watched-world.ts'

test.each(['rolling', 'blueGreen'] as const)(
  'a %s release that the cloud abandons while the service is dead is not released again',
  async (strategy) => {
    let fatal: string | undefined
    const { service, cloud, parties } = await startWatched(
      {
        done(operation) {
          if (operation !== fatal) return
          fatal = undefined
          service.killAndRestart(() => cloud.advance(2 * 3600))
        },
      },
      1,
    )
    const [{ user, instances }] = parties
    fatal = 'UpdateService'
    const failed = await user.follow((await user.deploy(instances[strategy], 'shop/app:2-crash')).id)
    expect(failed).toMatchObject({ status: 'ROLLED_BACK' })
    fatal = 'UpdateService'
    const again = await user.follow((await user.redeploy(failed)).id)
    expect(again).toMatchObject({ status: 'ROLLED_BACK' })

    expect(service.kills).toBe(2)
    expect((await user.list()).filter(isFinal)).toHaveLength(2)
    await expectEachEffectOnce(cloud, await user.list())
  },
)

test.each(['service', 'engine'] as const)(
  'an update that is in flight when the %s dies is not sent again',
  async (victim) => {
    let sentUpdates = 0
    let doneUpdates = 0
    const { service, cloud, parties } = await startWatched(
      {
        sent(operation) {
          if (operation !== 'UpdateService') return true
          sentUpdates += 1
          if (sentUpdates > 1) return true
          if (victim === 'engine') service.killEngine().catch(reportFatalError)
          else service.killAndRestart()
          return true
        },
        done(operation) {
          if (operation === 'UpdateService') doneUpdates += 1
        },
      },
      1,
    )
    const [{ user, instances }] = parties
    await cloud.addFault({ kind: 'slow', operation: 'UpdateService', delayMs: slowMs, times: 1 })
    const { id } = await user.deploy(instances.rolling, 'shop/app:2')
    expect(await user.follow(id)).toMatchObject({ status: 'SUCCESS' })
    await eventually(
      'every update to be done',
      async () => doneUpdates,
      (so) => so === sentUpdates,
    )
    await expectEachEffectOnce(cloud, await user.list())
  },
)

/** Duration of a slow call in milliseconds: longer than a restart of the service, shorter than its timeout. */
const slowMs = 8_000
