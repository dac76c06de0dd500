import { expect, test } from 'vitest'
import { ConnectionTurns, type ConnectionUse } from './connection-turns.ts'
import type { RequestWaits } from './request-waits.ts'

/** Turns on a clock of their own; notes the order in which they begin. */
function clocked(max: number) {
  let nowMs = 0
  const turns = new ConnectionTurns({ max, waitMs: 10_000, nowMs: () => nowMs })
  const begun: string[] = []
  const take = (name: string, use: ConnectionUse, organizationId = 'org', request?: RequestWaits) =>
    turns.take(use, organizationId, request).then((end) => {
      begun.push(name)
      return end
    })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { take, begun, pass }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('an organization has at most half of the connections', async () => {
  const { take, begun } = clocked(4)
  const [end] = await Promise.all([take('a1', 'control', 'a'), take('a2', 'control', 'a')])
  void take('a3', 'control', 'a')
  await take('b1', 'control', 'b')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  end()
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('work leaves connections to reads, and both leave connections to control', async () => {
  const { take, begun } = clocked(8) // 4 of each organization
  const turns = [
    ...['w1', 'w2', 'w3'].map((name) => take(name, 'work')),
    ...['r1', 'r2', 'r3'].map((name) => take(name, 'read')),
    take('c1', 'control', 'other'),
  ]
  await settled()
  expect(begun).toEqual(['w1', 'w2', 'r1', 'r2', 'c1'])
  for (const turn of turns) void turn.then((end) => end())
  await Promise.all(turns) // a turn that never comes would be an error after the test
})

test('on one connection, control is first, then reads, then accepted work, then new work; none starves', async () => {
  const { take, begun, pass } = clocked(1)
  const end = await take('first', 'service')
  for (const use of ['work', 'service', 'read', 'control'] as const) void take(use, use, use).then((done) => done())
  pass(10)
  end()
  await settled()
  expect(begun).toEqual(['first', 'control', 'read', 'service', 'work'])

  const again = await take('second', 'service')
  void take('old work', 'work', 'a').then((done) => done())
  pass(200)
  void take('new read', 'read', 'b').then((done) => done())
  pass(1)
  again()
  await settled()
  expect(begun.slice(-2), 'a wait counts as well').toEqual(['old work', 'new read'])
})

test('organizations take turns, however many requests each has', async () => {
  const { take, begun, pass } = clocked(1)
  const end = await take('first', 'service', 'a')
  for (const name of ['a1', 'a2', 'a3']) {
    void take(name, 'work', 'a').then((done) => done())
    pass(1)
  }
  void take('b1', 'work', 'b').then((done) => done())
  end()
  await settled()
  expect(begun).toEqual(['first', 'a1', 'b1', 'a2', 'a3'])
})

test('a request that has begun goes before those that came later, and knows how long it waited', async () => {
  const { take, begun, pass } = clocked(1)
  const early = { since: 0, waitedMs: 0 }
  const end = await take('first', 'service')
  pass(10)
  void take('late', 'work', 'org', { since: 10, waitedMs: 0 }).then((done) => done())
  void take('early', 'work', 'org', early).then((done) => done())
  pass(5)
  end()
  await settled()
  expect(begun).toEqual(['first', 'early', 'late'])
  expect(early.waitedMs).toBe(5)
})

test('a wait that is too long ends with an error, and does not block the others', async () => {
  const turns = new ConnectionTurns({ max: 1, waitMs: 5 })
  const end = await turns.take('service', 'a')
  await expect(turns.take('service', 'b')).rejects.toThrow('within 5 ms')
  const patient = turns.take('service', 'c')
  end()
  end() // a second time has no effect
  const last = await patient
  const [next] = [turns.take('service', 'd')]
  last()
  await next
})
