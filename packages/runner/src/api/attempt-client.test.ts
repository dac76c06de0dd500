import { expect, test } from 'vitest'
import { AttemptClient, ReportRejected } from './attempt-client.ts'
import { ApiError, ApiUnavailable, type Call } from './call.ts'
import { Lease } from './lease.ts'

function callsBy(call: Call, lease = new Lease()) {
  const parts = { call, lease, token: 't', abandoned: new AbortController().signal, onUnavailable: () => {} }
  return new AttemptClient(parts)
}

test('members of the plan JSON do not override the members that the runner adds', async () => {
  const bodies: string[] = []
  const calls = callsBy((async (_path, _token, body) => bodies.push(String(body))) as Call)
  const report = { tool: 'terraform', toolVersion: '1', configDigest: 'ours', before: null, file: '' } as const
  await calls.reportPlan(report, '{"a":1},"configDigest":"theirs"')
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ ...report, plan: { a: 1 } })
})

test('an apply report that the API rejects is sent again without the state', async () => {
  const bodies: unknown[] = []
  const report = { hasSucceeded: true, isStale: false, events: [] }
  const olderApi = (async (_path, _token, body) => {
    bodies.push(typeof body === 'string' ? JSON.parse(body) : body)
    if (bodies.length === 1) throw new ApiError(400, { message: 'shownState is unknown.' })
    return { output: {}, secrets: [] }
  }) as Call
  const read = await callsBy(olderApi).reportApply(report, '{"values":{}}')
  expect(read, 'see reportApply in api/attempt-client.ts').toEqual({ output: {}, secrets: [] })
  expect(bodies).toEqual([{ ...report, shownState: { values: {} } }, report])

  const rejecting = callsBy(async () => {
    bodies.push('rejected')
    throw new ApiError(400, {})
  })
  await expect(rejecting.reportApply(report, '{}')).rejects.toThrow(ReportRejected)
  expect(bodies.slice(2)).toEqual(['rejected', 'rejected'])
})

test('a call that fails for longer than a lease while the API answers heartbeats is given up', async () => {
  const lease = new Lease()
  lease.durationMs = 100
  const beats = setInterval(() => lease.extend(), 10)
  const failing = callsBy(async () => {
    throw new ApiUnavailable('it answers 500', { status: 500 })
  }, lease)
  const rejected = new ReportRejected('/runner/attempt/progress', { status: 500, body: {} })
  await expect(failing.reportProgress({})).rejects.toThrow(rejected)
  clearInterval(beats)
})

test('a call to an unavailable API is retried without a limit', async () => {
  const lease = new Lease()
  lease.durationMs = 0
  let tries = 0
  const calls = callsBy(
    (async () => {
      tries += 1
      if (tries < 4) throw new ApiUnavailable('no answer')
      return {}
    }) as Call,
    lease,
  )
  await calls.reportProgress({})
  expect(tries).toBe(4)
})
