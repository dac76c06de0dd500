import { join } from 'node:path'
import { object } from '@restatedev/restate-sdk'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { freePort } from '../../testing/free-port.ts'
import { portTo } from '../../testing/port-to.ts'
import type { EngineAddress } from './address.ts'
import { query } from './admin.ts'
import { connectEngine } from './client.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { emptyDirectory, engineIn, recorder, silentLog } from './engine.fixture.ts'
import { openEngineIdentity } from './identity.ts'
import { startKnownWorker } from './known-worker.ts'
import { shortSteps } from './short-steps.ts'
import { startWorker } from './worker.ts'

test('a message that only the next version understands waits while workers of the version before take it', async () => {
  const directory = engineIn(await emptyDirectory())
  const identity = await openEngineIdentity(join(directory, 'identity.pem'))
  const engine = await startEmbeddedEngine({ directory, identityKeyFile: identity.keyFile, log: silentLog })
  onTestFinished(() => engine.stop())
  const { send } = connectEngine(engine.ingress)
  const [nextPort, beforePort] = [await freePort(), await freePort()]
  const balancer = await portTo({ port: nextPort }, { port: beforePort })
  onTestFinished(balancer.close)

  const { service, received } = recorder()
  const before = object({ name: 'recorder', handlers: { known: async () => {} }, options: shortSteps })
  const shared = { host: '127.0.0.1', identityKeys: [identity.publicKey], finishMs: 2_000, log: silentLog }
  const url = `http://127.0.0.1:${balancer.port}`
  const startNext = () =>
    startKnownWorker({ ...shared, services: [service], port: nextPort, url, admin: engine.admin, isOnlyWorker: false })

  const first = await startNext()
  await first.registered
  await first.stop()
  const old = await startWorker({ ...shared, services: [before], port: beforePort })
  await send('recorder', 'k', 'record', 'of the next version')
  await untilPasses(async () => expect(await triesOf(engine.admin)).toBeGreaterThan(2))
  expect(received).toEqual({})

  const second = await startNext()
  onTestFinished(() => second.stop())
  await old.stop()
  await untilPasses(() => expect(received.k).toEqual(['of the next version']))
})

/** How often the engine tried the one message that waits. */
async function triesOf(admin: EngineAddress): Promise<number> {
  const [waiting] = (await query(admin, 'select retry_count from sys_invocation')) as { retry_count: number }[]
  return waiting?.retry_count ?? 0
}
