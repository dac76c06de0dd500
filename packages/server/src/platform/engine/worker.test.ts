import { connect } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { type ObjectContext, object } from '@restatedev/restate-sdk'
import { expect, test, vi } from 'vitest'
import { emptyDirectory, openEngine, recorder, soon } from './engine.fixture.ts'

test('the worker obeys its own engine and nobody else', async () => {
  const { service } = recorder()
  const { engine, workerUrl } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  const call = (path: string) => fetchOverHttp2(workerUrl, path)
  expect(await call('/discover')).toBe(401)
  expect(await call('/invoke/recorder/record')).toBe(401)
})

test('a stop lets a running handler finish, and cuts off one that takes too long: it runs again later', async () => {
  const directory = await emptyDirectory()
  const runs: string[] = []
  const slow = object({
    name: 'slow',
    handlers: {
      async work(ctx: ObjectContext, ms: number) {
        await ctx.run('begin', () => void runs.push(`${ctx.key} begins`))
        await ctx.run('work', () => setTimeout(ms))
        await ctx.run('end', () => void runs.push(`${ctx.key} ends`))
      },
    },
  })
  const first = await openEngine(directory)
  await first.engine.serve([slow])
  await first.engine.send('slow', 'short', 'work', 300)
  await first.engine.send('slow', 'long', 'work', 6_000)
  await vi.waitFor(() => expect(runs).toHaveLength(2), soon)
  const startedAt = Date.now()
  await first.engine.stop()
  expect(Date.now() - startedAt).toBeLessThan(5_000)
  expect(runs.toSorted()).toEqual(['long begins', 'short begins', 'short ends'])

  const second = await openEngine(directory)
  await second.engine.serve([slow])
  await vi.waitFor(() => expect(runs.filter((run) => run === 'long ends')).toHaveLength(1), soon)
  expect(runs.filter((run) => run === 'long begins')).toHaveLength(1)
  expect(runs.filter((run) => run === 'short begins')).toHaveLength(1)
})

/** `fetch` speaks HTTP/1 only. */

/** `fetch` speaks HTTP/1 only. */
async function fetchOverHttp2(origin: string, path: string): Promise<number> {
  const session = connect(origin)
  try {
    const request = session.request({ ':method': 'POST', ':path': path })
    request.resume().end()
    return await new Promise<number>((resolve, reject) => {
      request.once('response', (headers) => resolve(Number(headers[':status'])))
      request.once('error', reject)
    })
  } finally {
    session.close()
  }
}
