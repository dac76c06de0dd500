import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LogRead, type TailPosition, tailEvents } from './tail.ts'

type Line = { at: number; id: string; shownAt: number }

const start = 1_000_000

/**
 * Follows a log whose lines appear at `shownAt`, with a simulated clock that each wait advances. Returns the ids of the
 * events.
 */
async function follow(lines: Line[], place: TailPosition, untilMs: number, mostAtOnce = 1_000): Promise<string[]> {
  let now = place.at
  const followed = {
    async linesFrom(from: number): Promise<LogRead | undefined> {
      if (now > untilMs) return undefined
      const found = lines
        .filter(({ at, shownAt }) => shownAt <= now && at >= from)
        .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      const shown = found.slice(0, mostAtOnce)
      return {
        lines: shown.map(({ at, id }) => ({
          id,
          timestamp: new Date(at).toISOString(),
          message: id,
          logStream: 's',
        })),
        hasMore: found.length > shown.length,
      }
    },
    wait: async (ms: number) => {
      now += ms
    },
  }
  const ids: string[] = []
  for await (const event of tailEvents(followed, place, new AbortController().signal)) {
    const [, id] = /^id: \d+\.(.+)$/m.exec(event) ?? []
    if (id !== undefined) ids.push(id)
  }
  return ids
}

const someLines = fc
  .array(fc.record({ at: fc.integer({ min: 0, max: 60_000 }), late: fc.integer({ min: 0, max: 8_000 }) }), {
    maxLength: 60,
  })
  .map((all) => all.map(({ at, late }, n): Line => ({ at: start + at, id: `e${n}`, shownAt: start + at + late })))

describe('the tail of a log', () => {
  test('sends every line once, including those that appear late', async () => {
    await fc.assert(
      fc.asyncProperty(someLines, async (lines) => {
        const ids = await follow(lines, { at: start }, start + 90_000)
        expect(ids.toSorted()).toEqual(lines.map(({ id }) => id).toSorted())
      }),
    )
  })

  test('continues after the last line that was sent, and repeats none', async () => {
    const at = start + 5_000
    const lines = ['a', 'b', 'c'].map((id) => ({ at, id, shownAt: at }))
    expect(await follow(lines, { at, id: 'b' }, at + 10_000)).toEqual(['c'])
  })

  test('does not wait if there are more lines than one read returns', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => ({
      at: start + n,
      id: String(n).padStart(5, '0'),
      shownAt: start + n,
    }))
    expect(await follow(lines, { at: start }, start + 20_000, 100)).toHaveLength(5_000)
  })
})
