import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Engine } from './client.ts'
import { createDispatch } from './dispatch.ts'

/** An engine that accepts messages only when told to, and rejects the one for `refused`. */
function slowEngine() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const seen: string[] = []
  let atOnce = 0
  let most = 0
  const engine: Engine = {
    async send(_service, key) {
      atOnce += 1
      most = Math.max(most, atOnce)
      await opened
      atOnce -= 1
      seen.push(key)
      if (key === 'refused') throw new Error('The engine answered 500')
      return 'inv_1'
    },
    healthy: async () => true,
  }
  return { engine, seen, open, atOnce: () => atOnce, mostAtOnce: () => most }
}

test('every message goes out once, a bounded number at a time, and what fails is logged', async () => {
  const { engine, seen, open, atOnce, mostAtOnce } = slowEngine()
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line).key) })
  const dispatch = createDispatch({ engine, log })
  const keys = Array.from({ length: 100 }, (_, n) => (n === 50 ? 'refused' : `key${n}`))
  for (const key of keys) dispatch.soon({ service: 'target', key, handler: 'admit' })
  expect(atOnce()).toBe(32)
  open()
  await dispatch.settled()
  expect(seen.toSorted()).toEqual(keys.toSorted())
  expect(mostAtOnce()).toBe(32)
  expect(logged).toEqual(['refused'])
})

test('messages beyond what is worth keeping are left to the sweep', async () => {
  const { engine, seen, open } = slowEngine()
  let dropped = 0
  const log = pino({ level: 'warn' }, { write: () => void dropped++ })
  const dispatch = createDispatch({ engine, log })
  for (let n = 0; n < 10_050; n++) dispatch.soon({ service: 'target', key: `key${n}`, handler: 'admit' })
  expect(dropped).toBe(10_050 - 10_000 - 32)
  open()
  await dispatch.settled()
  expect(seen).toHaveLength(10_032)
})
