import { expect, test } from 'vitest'
import { emptyDirectory, openEngine } from './engine.fixture.ts'

test('without an engine a message is rejected within 15 s', async () => {
  const { engine } = await openEngine(await emptyDirectory())
  await engine.stop()
  const startedAt = performance.now()
  await expect(engine.send('recorder', 'k', 'record')).rejects.toThrow()
  expect(await engine.healthy()).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})
