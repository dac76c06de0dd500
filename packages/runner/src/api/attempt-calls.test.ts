import { expect, test } from 'vitest'
import { AttemptCalls, ReportRejected } from './attempt-calls.ts'
import { ApiAway, ApiRefusal, type Call } from './call.ts'
import { Lease } from './lease.ts'

function callsBy(call: Call, lease = new Lease()) {
  const parts = { call, lease, token: 't', abandoned: new AbortController().signal, onAway: () => {} }
  return new AttemptCalls(parts)
}

test('what the tool shows of a plan does not take the place of what the runner says of it', async () => {
  const bodies: string[] = []
  const calls = callsBy((async (_path, _token, body) => bodies.push(String(body))) as Call)
  const report = { tool: 'terraform', toolVersion: '1', configDigest: 'ours', before: null, file: '' } as const
  await calls.plan(report, '{"a":1},"configDigest":"theirs"')
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ ...report, plan: { a: 1 } })
})

test('the report of an apply that the API rejects is sent once more, without the state', async () => {
  const bodies: unknown[] = []
  const report = { hasSucceeded: true, isStale: false, events: [] }
  const olderApi = (async (_path, _token, body) => {
    bodies.push(typeof body === 'string' ? JSON.parse(body) : body)
    if (bodies.length === 1) throw new ApiRefusal(400, { message: 'shownState is unknown.' })
    return { output: {}, secrets: [] }
  }) as Call
  const read = await callsBy(olderApi).applied(report, '{"values":{}}')
  expect(read, 'see applied in api/attempt-calls.ts').toEqual({ output: {}, secrets: [] })
  expect(bodies).toEqual([{ ...report, shownState: { values: {} } }, report])

  const rejecting = callsBy(async () => {
    bodies.push('rejected')
    throw new ApiRefusal(400, {})
  })
  await expect(rejecting.applied(report, '{}')).rejects.toThrow(ReportRejected)
  expect(bodies.slice(2)).toEqual(['rejected', 'rejected'])
})

test('a call that fails for longer than a lease, while the API answers heartbeats, is given up', async () => {
  const lease = new Lease()
  lease.durationMs = 100
  const beats = setInterval(() => lease.extend(), 10)
  const failing = callsBy(async () => {
    throw new ApiAway('it answers 500', { status: 500 })
  }, lease)
  const rejected = new ReportRejected('/runner/attempt/progress', { status: 500, body: {} })
  await expect(failing.progress({})).rejects.toThrow(rejected)
  clearInterval(beats)
})

test('an API that is away is waited for, however long that takes', async () => {
  const lease = new Lease()
  lease.durationMs = 0
  let tries = 0
  const calls = callsBy(
    (async () => {
      tries += 1
      if (tries < 4) throw new ApiAway('no answer')
      return {}
    }) as Call,
    lease,
  )
  await calls.progress({})
  expect(tries).toBe(4)
})
