import { failures } from '@sluice/contract'
import { type RunnerPath, runnerPaths } from '@sluice/contract/runner-protocol'
import { ApiAway, ApiRefusal, type Call } from '@sluice/runner/api/call'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eventually } from '../../testing/eventually.ts'
import { openYard, runnerOf, type Yard } from './runner.fixture.ts'

/** Short, so that it is seen to end. Milliseconds. */
const leaseMs = 1_500

let yard: Yard
beforeAll(async () => {
  yard = await openYard({ runnerPace: { leaseMs } })
})
afterAll(() => yard?.[Symbol.asyncDispose]())

/** A call that fails at one path for the attempts of some steps, as `fail` says. */
const failingAt =
  (call: Call, path: RunnerPath, isOf: (body: string) => boolean, fail: () => Error): Call =>
  async (at, token, body, options) => {
    if (at === path && isOf(typeof body === 'string' ? body : JSON.stringify(body))) throw fail()
    return call(at, token, body, options)
  }

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const isBroken = { status: 'ERROR', error: { code: failures.stepBroke.code } }

/** What `$SLUICE_OUTPUT` is given: 20,000 nested objects in 140 KB. */
const nested = `i=0; { while [ $i -lt 20000 ]; do printf '{"a":'; i=$((i+1)); done; printf 1; head -c 20000 /dev/zero | tr '\\0' '}'; } >"$SLUICE_OUTPUT"`

describe('an attempt ends, and gives its slot to others', () => {
  test(
    'whatever its program writes as its output',
    everyCase(
      [
        ['nested without end', nested, 'at most 64 levels of nesting'],
        [
          'more values than are read',
          `{ printf '{"a":['; yes 1, | head -60000 | tr -d '\\n'; printf '1]}'; } >"$SLUICE_OUTPUT"`,
          'at most 50000 values',
        ],
        ['no JSON', `echo '{"a"' >"$SLUICE_OUTPUT"`, 'JSON'],
        ['no object', `echo '[1]' >"$SLUICE_OUTPUT"`, 'not an object'],
        ['more than is read', `head -c 300000 /dev/zero >"$SLUICE_OUTPUT"`, 'at most 262144'],
      ],
      async (_, shell, why) => {
        const capacity = 4
        await using _runner = await runnerOf(yard.parts({ capacity }))
        const hostile = await Promise.all(Array.from({ length: capacity }, () => yard.command({ shell })))
        const neighbour = await yard.command({ argv: ['true'] }, { organization: await yard.organization() })
        const ends = await Promise.all(hostile.map((id) => yard.untilOver(id)))
        for (const { status, error } of ends) {
          expect({ status, error }).toMatchObject({
            status: 'ERROR',
            error: { code: failures.commandOutputInvalid.code, message: expect.stringContaining(why) },
          })
        }
        expect((await yard.untilOver(neighbour)).status).toBe('SUCCESS')
      },
    ),
    60_000,
  )
})

describe('an attempt whose end the API does not take', () => {
  test('has broken when that is rejected once, and gives its slot to others', async () => {
    let rejectedCount = 0
    const reject = () => {
      rejectedCount += 1
      return new ApiRefusal(413, { message: 'too large' })
    }
    const parts = yard.parts({ capacity: 1, log: quiet })
    const call = failingAt(parts.call, runnerPaths.settle, (body) => body.includes('hostile'), reject)
    await using _runner = await runnerOf({ ...parts, call })
    const hostile = await yard.command({ shell: `echo '{"a":"hostile"}' >"$SLUICE_OUTPUT"` })
    const neighbour = await yard.command({ argv: ['true'] })
    expect(await yard.untilOver(hostile)).toMatchObject(isBroken)
    expect((await yard.untilOver(neighbour)).status).toBe('SUCCESS')
    expect(rejectedCount, 'ends that the API has rejected').toBe(1)
  })

  test(
    'loses its lease and its slot, however it fails',
    everyCase(
      [
        ['it is rejected', () => new ApiRefusal(400, { message: 'no' })],
        ['the API fails at it alone', () => new ApiAway('it answers 500')],
      ],
      async (_, fail) => {
        let isHostile = true
        const parts = yard.parts({ capacity: 1, log: quiet })
        const call = failingAt(parts.call, runnerPaths.settle, () => isHostile, fail)
        await using _runner = await runnerOf({ ...parts, call })
        const hostile = await yard.command({ argv: ['true'] })
        await eventually(
          'its lease to run out',
          () => yard.stepOf(hostile),
          ({ leaseUntil }) => leaseUntil !== null && leaseUntil.getTime() < Date.now() - leaseMs / 2,
          20_000,
        )
        isHostile = false
        const neighbour = await yard.command({ argv: ['true'] }, { organization: await yard.organization() })
        expect((await yard.untilOver(neighbour)).status).toBe('SUCCESS')
      },
    ),
    60_000,
  )

  test('can be cancelled while the API fails at its log', async () => {
    const parts = yard.parts({ capacity: 1, log: quiet })
    const call = failingAt(
      parts.call,
      runnerPaths.log,
      () => true,
      () => new ApiAway('it answers 500'),
    )
    await using _runner = await runnerOf({ ...parts, call })
    const hostile = await yard.command({ shell: 'yes hostile | head -c 3000000; sleep 300' })
    await yard.untilBegun(hostile)
    await yard.cancel(hostile)
    expect((await yard.untilOver(hostile, 30_000)).status).not.toBe('SUCCESS')
  }, 60_000)
})
