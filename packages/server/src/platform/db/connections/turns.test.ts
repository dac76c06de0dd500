import { expect, test } from 'vitest'
import { ConcurrencyLimiter } from './turns.ts'

test('so many at a time, and then in the order in which they came', async () => {
  const turns = new ConcurrencyLimiter(2, 10_000)
  const done: string[] = []
  await turns.take()
  await turns.take()
  const waiting = ['a', 'b'].map((name) => turns.take().then(() => done.push(name)))
  await Promise.resolve()
  expect(done).toEqual([])
  turns.giveBack()
  await waiting[0]
  expect(done).toEqual(['a'])
  turns.giveBack()
  await waiting[1]
  turns.giveBack()
  turns.giveBack()
  await Promise.all([turns.take(), turns.take()])
})

test('an operation whose wait is too long fails, and does not delay those behind it', async () => {
  const turns = new ConcurrencyLimiter(1, 5)
  await turns.take()
  await expect(turns.take()).rejects.toThrow('within 5 ms')
  const patient = turns.take()
  turns.giveBack()
  await patient
})

test('without a limit operations wait as long as necessary, and a failing one releases its turn', async () => {
  const turns = new ConcurrencyLimiter(1)
  await expect(turns.inTurn(() => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed')
  const first = Promise.withResolvers<string>()
  const both = [turns.inTurn(() => first.promise), turns.inTurn(async () => 'second')]
  first.resolve('first')
  expect(await Promise.all(both)).toEqual(['first', 'second'])
})
