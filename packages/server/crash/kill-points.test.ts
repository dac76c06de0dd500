import { expect, test } from 'vitest'
import { expectEachEffectOnce } from './effects.ts'
import { Moments, NeverHeard } from './moments.ts'
import { startWatched } from './watched-world.ts'

test('a canary succeeds with each effect once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, cloud, user, instances } = await startWatched(moments)
  await moments.killAtEach(service, {
    async release(moment) {
      const { id } = await user.deploy(instances.canary, `shop/app:${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(service.kills).toBeGreaterThan(10)
  await expectEachEffectOnce(cloud, await user.list())
  expect(service.ownEnds).toEqual([])
})

const changes = [/^RegisterTaskDefinition$/, /^UpdateService$/, /^ContinueServiceDeployment$/]

test('a canary succeeds with each effect once, whichever change the cloud never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, cloud, user, instances } = await startWatched(unheard)
  await unheard.killInsteadOfEach(service, changes, async (change, index) => {
    const { id } = await user.deploy(instances.canary, `shop/app:${index + 1}`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  await expectEachEffectOnce(cloud, await user.list())
})
