import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { rememberPorts } from '../data-dir/ports.ts'
import { ask } from './address.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { emptyDirectory, engineIn, recorder, silentLog } from './engine.fixture.ts'
import { openExternalEngine } from './engine.ts'
import { openEngineIdentity } from './identity.ts'
import { addressIn, dataDirectory } from './sockets.ts'

test('a worker waits for an engine that runs elsewhere, and serves it once it is there', async () => {
  const dataDir = await emptyDirectory()
  const { worker: port } = await rememberPorts(dataDir, ['worker'])
  const base = dataDirectory(engineIn(dataDir))
  const identity = await openEngineIdentity(join(engineIn(dataDir), 'identity.pem'))
  const { service, received } = recorder()
  const connection = openExternalEngine({
    ingress: addressIn(base, 'ingress'),
    admin: addressIn(base, 'admin'),
    worker: {
      host: '127.0.0.1',
      port,
      url: `http://127.0.0.1:${port}`,
      identityKeys: [identity.publicKey],
      finishMs: 2_000,
    },
    log: silentLog,
  })
  onTestFinished(() => connection.stop())
  await connection.serve([service])
  expect(await connection.healthy()).toBe(false)
  await expect(connection.send('recorder', 'k', 'record')).rejects.toThrow()

  const options = { directory: engineIn(dataDir), identityKeyFile: identity.keyFile, log: silentLog }
  const elsewhere = await startEmbeddedEngine(options)
  onTestFinished(() => elsewhere.stop())
  await untilPasses(() => connection.send('recorder', 'k', 'record', 'at last'))
  await untilPasses(() => expect(received.k).toEqual(['at last']))

  const { text } = await ask(elsewhere.admin, '/services/recorder', { withinMs: 5_000 })
  const { retry_policy } = JSON.parse(text) as Service
  expect(retry_policy.max_attempts, 'what the worker told it').toBe(Number.MAX_SAFE_INTEGER)
})

type Service = { retry_policy: { max_attempts: number } }
