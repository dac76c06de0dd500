import { createClient } from '@sluice/client'
import type { StepLogPage } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { lastLinesOf } from './logs.ts'

/** Creates a log with this number of chunks, each a numbered line. */
function logOf(pieces: number) {
  let asked = 0
  const answer: typeof fetch = async (input) => {
    asked += 1
    const { searchParams } = new URL(String(input))
    const [after, limit] = [Number(searchParams.get('cursor')), Number(searchParams.get('limit'))]
    const data = Array.from({ length: Math.max(0, Math.min(limit, pieces - after)) }, (_, n) => ({
      sequence: after + n + 1,
      attempt: 1,
      writtenAt: '2026-03-01T00:00:00Z',
      text: `${after + n + 1}\n`,
    }))
    const meta = { limit, nextCursor: String(after + data.length), isComplete: data.length < limit }
    return Response.json({ data, meta } satisfies StepLogPage)
  }
  return { client: createClient({ baseUrl: 'http://sluice.test', fetch: answer }), asked: () => asked }
}

test(
  'the end of a log is found with few requests, whatever its length',
  everyCase([1, 99, 100, 101, 149, 150, 151, 199, 200, 201, 450, 12_345, 1_000_000], async (pieces) => {
    const { client, asked } = logOf(pieces)
    const lines = await lastLinesOf(client, 'step_1')
    const told = Math.min(pieces, 50)
    expect(lines.slice(-told)).toEqual(Array.from({ length: told }, (_, n) => String(pieces - told + n + 1)))
    expect(asked()).toBeLessThan(40)
  }),
)

test('a step without output has no lines', async () => {
  expect(await lastLinesOf(logOf(0).client, 'step_1')).toEqual([])
})
