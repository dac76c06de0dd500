import { expect, test } from 'vitest'
import { expectEachEffectOnce } from './effects.ts'
import { startWatched } from './watched-world.ts'

test('a canary succeeds with each effect once, whichever call is the last that the cloud did before a kill', async () => {
  let calls = 0
  let lastCall = 0
  const { service, cloud, user, instances } = await startWatched({
    done() {
      calls += 1
      if (calls === lastCall) void service.kill('service').then(() => service.start())
    },
  })
  do {
    calls = 0
    lastCall += 1
    const { id } = await user.deploy(instances.canary, `shop/app:${lastCall}`)
    expect(await user.follow(id), `killed after call ${lastCall}`).toMatchObject({ status: 'SUCCESS' })
  } while (calls >= lastCall) // the last one needed fewer calls: every point was tried
  console.log(`killed after each of ${service.kills} calls`)
  expect(service.kills).toBeGreaterThan(15)
  await expectEachEffectOnce(cloud, await user.list())
  expect(service.ownEnds).toEqual([])
})

const changes = ['RegisterTaskDefinition', 'UpdateService', 'ContinueServiceDeployment']

test('a canary succeeds with each effect once, whichever change the cloud never heard of for a kill', async () => {
  let fatal: string | undefined
  const { service, cloud, user, instances } = await startWatched({
    sent(operation) {
      if (operation !== fatal) return true
      fatal = undefined
      void service.kill('service').then(() => service.start())
      return false
    },
  })
  for (const change of changes) {
    fatal = change
    const { id } = await user.deploy(instances.canary, `shop/app:${change}`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  }
  expect(service.kills).toBe(changes.length)
  await expectEachEffectOnce(cloud, await user.list())
})
