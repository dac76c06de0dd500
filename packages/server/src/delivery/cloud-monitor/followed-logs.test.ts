import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SharedLogReads } from './followed-logs.ts'
import type { LogRead } from './tail.ts'

/** Creates a log with one line per second. Each read returns at most `mostAtOnce` lines. */
function logOf(mostAtOnce = 1_000) {
  const asked: number[] = []
  const clock = { now: 0 }
  const look = async (from: number): Promise<LogRead> => {
    asked.push(from)
    const first = Math.max(0, Math.ceil(from / 1_000))
    const all = Array.from({ length: Math.max(0, Math.floor(clock.now / 1_000) - first + 1) }, (_, n) => first + n)
    const lines = all.slice(0, mostAtOnce).map((second) => ({
      id: `e${second}`,
      timestamp: new Date(second * 1_000).toISOString(),
      message: 'a line',
      logStream: 's',
    }))
    return { lines, hasMore: all.length > mostAtOnce }
  }
  const looks = new SharedLogReads(2_000, () => clock.now)
  const ask = (from: number) => looks.linesFrom('log', from, look)
  return { asked, clock, ask, look }
}

const idsOf = ({ lines }: LogRead) => lines.map(({ id }) => id)

test('followers of a log share one read, and each gets the lines from its own start time', async () => {
  const { asked, clock, ask } = logOf()
  clock.now = 20_000
  const [one, two, three] = await Promise.all([ask(10_000), ask(12_000), ask(19_000)])
  expect(asked).toEqual([10_000])
  expect([one, two, three].map((found) => found.lines.length)).toEqual([11, 9, 2])
})

test('the next read starts at the earliest time that any follower needs', async () => {
  const { asked, clock, ask } = logOf()
  clock.now = 20_000
  await ask(15_000)
  await ask(11_000)
  await ask(16_000)
  clock.now = 22_500
  await Promise.all([ask(16_000), ask(17_000), ask(11_000)])
  expect(asked).toEqual([15_000, 11_000, 11_000])
})

test('a follower that is far behind does not delay the newest lines for others', async () => {
  const { clock, ask } = logOf(5)
  clock.now = 60_000
  const [behind, newest] = await Promise.all([ask(0), ask(58_000)])
  expect(idsOf(behind)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4'])
  expect(idsOf(newest)).toEqual(['e58', 'e59', 'e60'])
})

test('a failed read fails for everyone who shares it, and not for later reads', async () => {
  const { clock, look } = logOf()
  const looks = new SharedLogReads(2_000, () => clock.now)
  const failing = () => Promise.reject(new Error('throttled'))
  const both = [looks.linesFrom('log', 0, failing), looks.linesFrom('log', 0, look)]
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  clock.now = 2_000
  expect(idsOf(await looks.linesFrom('log', 0, look))).toEqual(['e0', 'e1', 'e2'])
})

test('a shared read returns what a separate one would have returned at most two seconds ago', async () => {
  const steps = fc.array(fc.record({ waitMs: fc.nat(3_000), backMs: fc.nat(30_000) }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(4, 1_000), async (all, mostAtOnce) => {
      const { clock, ask, look } = logOf(mostAtOnce)
      for (const { waitMs, backMs } of all) {
        clock.now += waitMs
        const from = Math.max(0, clock.now - backMs)
        const found = await ask(from)
        const own = await look(from)
        const old = own.lines.filter(({ timestamp }) => Date.parse(timestamp) <= clock.now - 2_000)
        expect(idsOf(found)).toEqual(expect.arrayContaining(old.map(({ id }) => id)))
      }
    }),
  )
})
