import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rememberPorts } from '../data-dir/ports.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { emptyDirectory, engineIn, recorder, silentLog, soon } from './engine.fixture.ts'
import { openExternalEngine } from './engine.ts'
import { openEngineIdentity } from './identity.ts'

test('a worker waits for an engine that runs elsewhere, and serves it once it is there', async () => {
  const dataDir = await emptyDirectory()
  const { worker: port, ...ports } = await rememberPorts(dataDir, ['ingress', 'admin', 'fabric', 'worker'])
  const identity = await openEngineIdentity(join(engineIn(dataDir), 'identity.pem'))
  const { service, received } = recorder()
  const connection = openExternalEngine({
    ingressUrl: `http://127.0.0.1:${ports.ingress}`,
    adminUrl: `http://127.0.0.1:${ports.admin}`,
    worker: { host: '127.0.0.1', port, url: `http://127.0.0.1:${port}`, identityKeys: [identity.publicKey] },
    log: silentLog,
  })
  onTestFinished(() => connection.stop())
  await connection.serve([service])
  expect(await connection.healthy()).toBe(false)
  await expect(connection.send('recorder', 'k', 'record')).rejects.toThrow()

  const options = { directory: engineIn(dataDir), ports, identityKeyFile: identity.keyFile, log: silentLog }
  const elsewhere = await startEmbeddedEngine(options)
  onTestFinished(() => elsewhere.stop())
  await vi.waitFor(() => connection.send('recorder', 'k', 'record', 'at last'), soon)
  await vi.waitFor(() => expect(received.k).toEqual(['at last']), soon)

  const { retry_policy } = (await (await fetch(`${elsewhere.adminUrl}/services/recorder`)).json()) as Service
  expect(retry_policy.max_attempts, 'what the worker told it').toBe(Number.MAX_SAFE_INTEGER)
})

type Service = { retry_policy: { max_attempts: number } }
