import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failures } from '@sluice/contract'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import { connectApi } from '@sluice/runner/api/call'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from './runner.fixture.ts'

/** Short, so that a lease expires during the test. Milliseconds. */
const leaseMs = 1_500

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi({ runnerPace: { leaseMs } })
})
afterAll(() => yard?.[Symbol.asyncDispose]())

type Answer = (response: ServerResponse) => void

/** Starts a proxy in front of the API that answers reports at one path itself for a marked step. */
async function inFrontOfApi() {
  const poisoned = new Map<string, Answer>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const poison = poisoned.get(path)
    if (poison) return poison(response)
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers
    const headers = { authorization, 'content-type': type }
    // A pending lease request of a stopped runner must not get the next step.
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const sent = { method: 'POST', headers, body: Buffer.concat(chunks), signal: gone.signal }
    const answer = await fetch(yard.url + path, sent).catch(() => undefined)
    if (!answer) return response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api = connectApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    poisoned,
    call: api.call,
    async [Symbol.asyncDispose]() {
      api.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const status =
  (code: number, body = '{"message":"no"}', headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body)

const answers: Record<string, Answer> = {
  'status 400': status(400),
  'status 404 with a page': status(404, '<html>'),
  'status 409': status(409),
  'status 413 without a body': status(413, ''),
  'status 422 without a reason': status(422, '{}'),
  'status 429': status(429),
  'status 500': status(500),
  'status 503 with a page': status(503, '<html>'),
  'a redirection': status(302, '', { location: '/elsewhere' }),
  'a page in place of JSON': status(200, '<html>'),
  null: status(200, 'null'),
  'a closed connection': (response) => void response.destroy(),
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{')
    setTimeout(() => response.destroy(), 20)
  },
}

const quiet = { info: () => {}, warn: () => {}, error: () => {} }

describe('for any response to a report of a runner', () => {
  test(
    'the attempt ends with an error that names the report, and releases its slot',
    everyCase(Object.entries(answers), async (_, answer) => {
      await using front = await inFrontOfApi()
      await using _runner = await runnerOf(yard.parts({ call: front.call, capacity: 1, log: quiet }))
      front.poisoned.set(runnerPaths.log, answer)
      const hostile = await yard.command({ shell: 'yes hostile | head -c 1000000; sleep 300' })
      expect(await yard.untilOver(hostile, 30_000)).toMatchObject({
        status: 'ERROR',
        error: {
          code: failures.stepBroke.code,
          message: expect.stringContaining(`POST ${runnerPaths.log}`),
          metadata: { path: runnerPaths.log },
        },
      })
      front.poisoned.clear()
      expect(await yard.untilOver(await yard.command({ argv: ['true'] }))).toMatchObject({ status: 'SUCCESS' })
    }),
    200_000,
  )

  test(
    'a cancel ends the attempt',
    everyCase(['status 400', 'status 500', 'a page in place of JSON', 'a closed connection'], async (name) => {
      await using front = await inFrontOfApi()
      await using _runner = await runnerOf(yard.parts({ call: front.call, capacity: 1, log: quiet }))
      front.poisoned.set(runnerPaths.log, answers[name] ?? status(500))
      const hostile = await yard.command({ shell: 'yes hostile | head -c 1000000; sleep 300' })
      await yard.untilBegun(hostile)
      await yard.cancel(hostile)
      expect((await yard.untilOver(hostile, 30_000)).status).not.toBe('SUCCESS')
      front.poisoned.clear()
      expect(await yard.untilOver(await yard.command({ argv: ['true'] }))).toMatchObject({ status: 'SUCCESS' })
    }),
    120_000,
  )
})
