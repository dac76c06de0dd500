import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Db } from '../../platform/db/open.ts'

import { RehearsalQueue } from './queue.ts'

const handle = (name: string) => ({ name }) as unknown as Db

/** A queue whose first rehearsal runs until `release` is called. */
function queueWithGate() {
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const queue = new RehearsalQueue({
    log: pino({ level: 'silent' }),
    async run(_, id) {
      order.push(id)
      if (id === 'a1') await gate.promise
      if (id === 'broken') throw new Error('the program ended')
      if (id === 'last') done.resolve()
    },
  })
  return { queue, order, release: gate.resolve, done: done.promise }
}

test('organizations take turns', async () => {
  const { queue, order, release, done } = queueWithGate()
  const [a, b] = [handle('a'), handle('b')]
  for (const id of ['a1', 'a2', 'a3', 'a4', 'last']) queue.add(a, id)
  queue.add(b, 'b1')
  queue.add(b, 'b2')
  release()
  await done
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'last'])
})

test('a rehearsal that is added twice runs once, and one that fails does not stop the next', async () => {
  const { queue, order, release, done } = queueWithGate()
  const db = handle('a')
  for (const id of ['a1', 'broken', 'broken', 'last']) queue.add(db, id)
  release()
  await done
  expect(order).toEqual(['a1', 'broken', 'last'])
})

test('a queue that stops runs nothing that still waits', async () => {
  const { queue, order, release } = queueWithGate()
  const db = handle('a')
  for (const id of ['a1', 'a2']) queue.add(db, id)
  const stopped = queue.stop()
  release()
  await stopped
  expect(order).toEqual(['a1'])
})
