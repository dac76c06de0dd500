import { failures } from '@sluice/contract'
import { type RunnerPath, runnerPaths } from '@sluice/contract/runner-protocol'
import { ApiError, ApiUnavailable, type Call } from '@sluice/runner/api/call'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eventually } from '../../testing/eventually.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from './runner.fixture.ts'

/** Short, so that a lease expires during the test. Milliseconds. */
const leaseMs = 1_500

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi({ runnerPace: { leaseMs } })
})
afterAll(() => yard?.[Symbol.asyncDispose]())

/** Returns a function that fails requests at one path for some steps, as `fail` says. */
const failingAt =
  (call: Call, path: RunnerPath, isOf: (body: string) => boolean, fail: () => Error): Call =>
  async (at, token, body, options) => {
    if (at === path && isOf(typeof body === 'string' ? body : JSON.stringify(body))) throw fail()
    return call(at, token, body, options)
  }

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const isRejected = (path: RunnerPath, status: number) => ({
  status: 'ERROR',
  error: {
    code: failures.stepBroke.code,
    message: expect.stringContaining(`POST ${path} was answered with the status ${status}`),
    metadata: { path, status },
  },
})

/** Shell programs that print 20,000 nested objects in 140 KB, and 60,000 values. */
const nested = `i=0; while [ $i -lt 20000 ]; do printf '{"a":'; i=$((i+1)); done; printf 1; head -c 20000 /dev/zero | tr '\\0' '}'`
const many = `printf '{"a":['; yes 1, | head -60000 | tr -d '\\n'; printf '1],"b":1}'`

describe('an attempt ends and releases its slot', () => {
  test(
    'regardless of the output of its program',
    everyCase(
      [
        ['no JSON', `echo '{"a"' >"$SLUICE_OUTPUT"`, 'JSON'],
        ['no object', `echo '[1]' >"$SLUICE_OUTPUT"`, 'not an object'],
        ['more than is read', `head -c 300000 /dev/zero >"$SLUICE_OUTPUT"`, 'maximum of 262144'],
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

test(
  'a successful program succeeds with any returned values, and omitted ones are named',
  everyCase<[string, string, Record<string, unknown>, string[]]>(
    [
      ['NUL', `printf '{"a":"x\\\\u0000","b":1}'`, { b: 1 }, ['output.a: expected text without NUL']],
      ['lone surrogate', `printf '{"a":["\\\\ud800"]}'`, { a: [null] }, ['output.a[0]: expected text without NUL']],
      [
        '__proto__',
        `printf '{"__proto__":{"a":1},"b":1}'`,
        { b: 1 },
        ['output.__proto__: expected a name other than __proto__'],
      ],
      ['a name twice', `printf '{"a":1,"a":2}'`, { a: 2 }, ['output.a: expected once']],
      [
        'numbers',
        `printf '{"a":12345678901234567890,"b":1e400,"c":0.1}'`,
        { a: '12345678901234567890', b: '1e400', c: 0.1 },
        [],
      ],
      ['nested without end', nested, { a: expect.anything() }, ['at most 64 levels of nesting']],
      ['more values than are stored', many, { b: 1 }, ['output.a: expected at most 50000 values in total']],
    ],
    async (_, program, output, omitted) => {
      await using _runner = await runnerOf(yard.parts())
      const id = await yard.command({ shell: `{ ${program}; } >"$SLUICE_OUTPUT"` })
      const { status, outputData, statusDetail } = await yard.untilOver(id)
      expect({ status, outputData }).toEqual({ status: 'SUCCESS', outputData: output })
      const named = (statusDetail?.omittedValues ?? []) as { path: string; reason: string }[]
      const lines = named.map(({ path, reason }) => `${path}: ${reason}`)
      expect(lines).toEqual(omitted.map((line) => expect.stringContaining(line)))
      const log = await yard.logOf(id)
      for (const line of lines) expect(log, 'the log names what is left out').toContain(`does not store ${line}`)
    },
  ),
  60_000,
)

describe('an attempt whose end the API rejects', () => {
  test('fails after one rejection and releases its slot', async () => {
    let rejectedCount = 0
    const reject = () => {
      rejectedCount += 1
      return new ApiError(413, { message: 'too large' })
    }
    const parts = yard.parts({ capacity: 1, log: quiet })
    const call = failingAt(parts.call, runnerPaths.settle, (body) => body.includes('hostile'), reject)
    await using _runner = await runnerOf({ ...parts, call })
    const hostile = await yard.command({ shell: `echo '{"a":"hostile"}' >"$SLUICE_OUTPUT"` })
    const neighbour = await yard.command({ argv: ['true'] })
    expect(await yard.untilOver(hostile)).toMatchObject(isRejected(runnerPaths.settle, 413))
    expect((await yard.untilOver(neighbour)).status).toBe('SUCCESS')
    expect(rejectedCount, 'ends that the API has rejected').toBe(1)
  })

  test(
    'loses its lease and its slot for any other failure',
    everyCase(
      [
        ['it is rejected', () => new ApiError(400, { message: 'no' })],
        ['the API fails at it alone', () => new ApiUnavailable('it answers 500')],
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
      () => new ApiUnavailable('it answers 500'),
    )
    await using _runner = await runnerOf({ ...parts, call })
    const hostile = await yard.command({ shell: 'yes hostile | head -c 3000000; sleep 300' })
    await yard.untilBegun(hostile)
    await yard.cancel(hostile)
    expect((await yard.untilOver(hostile, 30_000)).status).not.toBe('SUCCESS')
  }, 60_000)
})
