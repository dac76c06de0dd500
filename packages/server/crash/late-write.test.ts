import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { portTo } from '../src/testing/port-to.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { openGateway } from './gateway.ts'
import { Random } from './random.ts'
import { User } from './user.ts'

/** Delay in each direction, in milliseconds. The process is frozen while the response is in flight. */
const lateMs = 2_000
/** Duration of the freeze in milliseconds, longer than a worker trusts what it has read. */
const frozenMs = 17_000

const server = process.env.TEST_DATABASE_URL

test.runIf(server !== undefined)(
  'a worker whose database response came late polls the cloud again before it changes anything',
  async () => {
    const { hostname, port } = new URL(server ?? '')
    const line = await portTo({ host: hostname, port: Number(port) })
    onTestFinished(() => line.close())
    let isFirst = true
    const { service, cloud, people, databaseUrl } = await startCrashWorld({
      speed: 60,
      people: settle,
      env: { SLUICE_LOG_LEVEL: 'debug' },
      gateway: (cloudUrl) =>
        openGateway(cloudUrl, {
          done(operation) {
            if (operation !== 'RegisterTaskDefinition' || !isFirst) return
            isFirst = false
            line.delay(lateMs) // the next write is the attempt to update the service
            void standStill()
          },
        }),
    })
    const standStill = async () => {
      // The sleeps are the delay of the response and the duration of the freeze.
      await sleep(lateMs)
      service.freeze()
      await sleep(frozenMs)
      line.delay(0)
      service.thaw()
    }
    await service.kill('service')
    const through = new URL(databaseUrl ?? '')
    through.port = String(line.port)
    service.start({ DATABASE_URL: through.href })
    const user = new User(people.client, new Random(1))
    const { id } = await user.deploy(people.moduleInstanceId, 'shop/app:2')
    expect(await user.lookOn(id)).toMatchObject({ status: 'SUCCESS' })
    expect(isFirst).toBe(false)
    expect(readFileSync(service.logFile, 'utf8')).toContain('this process stood still')
    await expectEachEffectOnce(cloud, await user.list())
  },
)

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  return { client: organization.client, moduleInstanceId: (await organization.service()).moduleInstanceId }
}
