import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { ask } from '../../platform/engine/address.ts'
import { listDeployments } from '../../platform/engine/admin.ts'
import { addressIn, dataDirectory } from '../../platform/engine/sockets.ts'
import { eventually } from '../../testing/eventually.ts'
import { startWorld } from '../../testing/world.ts'

test('who puts something in at the start says when it is there: until then nobody is told that the service is ready', async () => {
  let isPrepared = false
  await using world = await startWorld({ isPrepared: () => isPrepared })
  const ready = () => fetch(`${world.url}/health/ready`)
  expect((await ready()).status).toBe(503)
  isPrepared = true
  expect((await ready()).status).toBe(200)
})

test('a process that is to end says first that nobody is to come any more, and answers those who do', async () => {
  const world = await startWorld({ env: { SLUICE_DRAIN_SECONDS: '2' } })
  expect((await fetch(`${world.url}/health/ready`)).status).toBe(200)
  const ended = world[Symbol.asyncDispose]()
  const ready = await fetch(`${world.url}/health/ready`)
  expect(ready.status).toBe(503)
  expect(ready.headers.get('connection'), 'what becomes of the connection').toBe('close')
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)
  await ended
  await expect(fetch(`${world.url}/health/live`)).rejects.toThrow()
})

test('readiness says that the engine does not know the worker any more, until it does again by itself', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-health-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  await using world = await startWorld({ env: { SLUICE_DATA_DIR: dataDir } })
  const ready = async () => (await fetch(`${world.url}/health/ready`)).json()
  const well = { data: { status: 'ok', checks: { database: 'ok', engine: 'ok', worker: 'ok' } } }
  expect(await ready()).toEqual(well)

  const admin = addressIn(dataDirectory(join(dataDir, 'engine')), 'admin')
  for (const { id } of await listDeployments(admin))
    await ask(admin, `/deployments/${id}?force=true`, { method: 'DELETE', withinMs: 5_000 })
  const unknown = { data: { status: 'unavailable', checks: { database: 'ok', engine: 'ok', worker: 'unavailable' } } }
  await untilPasses(async () => expect(await ready()).toEqual(unknown))
  await eventually('the worker to be known again', ready, (answer) => isDeepStrictEqual(answer, well))
})
