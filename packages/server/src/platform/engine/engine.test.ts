import { expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { query } from './admin.ts'
import { emptyDirectory, openEngine, recorder } from './engine.fixture.ts'

test('messages reach their object with key and payload intact, delayed ones later, and leave nothing behind', async () => {
  const { service, received } = recorder()
  const { engine, admin } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  expect(await engine.healthy()).toBe(true)

  const id = await engine.send('recorder', 'a key/with é?#%', 'record', { deep: ['value'] })
  expect(id).toMatch(/^inv_/)
  const sentAt = Date.now()
  await engine.send('recorder', 'later', 'record', undefined, { delayMs: 300 })
  await engine.send('recorder', 'loop', 'countDown', 3)
  await untilPasses(() => expect(received['a key/with é?#%']).toEqual([{ deep: ['value'] }]))
  await untilPasses(() => expect(received.later).toEqual([undefined]))
  expect(Date.now() - sentAt).toBeGreaterThanOrEqual(290)
  await untilPasses(() => expect(received.loop).toEqual([3, 2, 1, 0]))
  const left = () => query(admin, 'select count(*) as n from sys_invocation')
  await untilPasses(async () => expect(await left()).toEqual([{ n: 0 }]))
})

test('a message that still waits is not sent twice under one idempotency key', async () => {
  const { service, received } = recorder()
  const { engine } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  const options = { delayMs: 300, idempotencyKey: 'once' }
  const first = await engine.send('recorder', 'k', 'record', 1, options)
  expect(await engine.send('recorder', 'k', 'record', 2, options)).toBe(first)
  await untilPasses(() => expect(received.k).toEqual([1]))
})

test('without an engine a message is rejected and the health check fails', async () => {
  const { engine } = await openEngine(await emptyDirectory())
  await engine.stop()
  await expect(engine.send('recorder', 'k', 'record')).rejects.toThrow()
  expect(await engine.healthy()).toBe(false)
})
