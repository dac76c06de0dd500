import { expect, test } from 'vitest'
import { expectEachEffectOnce } from './effects.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { ofAll, releasesPerKill } from './parties.ts'
import { startWatched } from './watched-world.ts'

test('a canary succeeds with each effect once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatched(moments, releasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    async release({ user, instances }, moment) {
      const { id } = await user.deploy(instances.canary, `shop/app:${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(count).toBeGreaterThan(10)
  await expectEachEffectOnce(cloud, await ofAll(parties, ({ user }) => user.list()))
  expect(service.ownEnds).toEqual([])
})

const changes = [/^RegisterTaskDefinition$/, /^UpdateService$/, /^ContinueServiceDeployment$/]

test('a canary succeeds with each effect once, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, cloud, parties } = await startWatched(unheard, changes.length)
  await unheard.killInsteadOfEach(service, parties, changes, async ({ user, instances }, change, nth) => {
    const { id } = await user.deploy(instances.canary, `shop/app:${nth}`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  await expectEachEffectOnce(cloud, await ofAll(parties, ({ user }) => user.list()))
})
