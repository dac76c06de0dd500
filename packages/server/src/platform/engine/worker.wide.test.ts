import { connect } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { type ObjectContext, object } from '@restatedev/restate-sdk'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { emptyDirectory, openEngine, recorder, watchfulLog } from './engine.fixture.ts'
import { shortSteps } from './short-steps.ts'

test('the worker obeys only its own engine', async () => {
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
  const { log, troubles } = watchfulLog()
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
  const first = await openEngine(directory, { log })
  await first.engine.serve([slow])
  await first.engine.send('slow', 'short', 'work', 300)
  await first.engine.send('slow', 'long', 'work', 6_000)
  await untilPasses(() => expect(runs).toHaveLength(2))
  await first.engine.stop()
  expect(runs.toSorted()).toEqual(['long begins', 'short begins', 'short ends'])
  expect(troubles).toEqual([])

  const second = await openEngine(directory)
  await second.engine.serve([slow])
  await untilPasses(() => expect(runs.filter((run) => run === 'long ends')).toHaveLength(1))
  expect(runs.filter((run) => run === 'long begins')).toHaveLength(1)
  expect(runs.filter((run) => run === 'short begins')).toHaveLength(1)
})

test('a stop lets every running handler finish, also while more calls come in', async () => {
  const begun: string[] = []
  const ended: string[] = []
  const released = Promise.withResolvers<void>()
  const relay = object({
    name: 'relay',
    handlers: {
      async run(ctx: ObjectContext, ms: number) {
        await ctx.run('begin', () => void begun.push(ctx.key))
        await ctx.run('work', () => released.promise.then(() => setTimeout(ms)))
        await ctx.run('end', () => void ended.push(ctx.key))
        ctx.objectSendClient(relay, ctx.key).run(ms)
      },
    },
    options: shortSteps,
  })
  const { log, troubles } = watchfulLog()
  const { engine } = await openEngine(await emptyDirectory(), { log })
  await engine.serve([relay])
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
  await Promise.all(keys.map((key, index) => engine.send('relay', key, 'run', 20 * index)))
  await untilPasses(() => expect(begun).toHaveLength(keys.length))
  const stopped = engine.stop()
  released.resolve()
  await stopped
  expect(ended.toSorted()).toEqual(keys.toSorted())
  expect(troubles).toEqual([])
})

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
