import { createServer } from 'node:http'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { connectEngine } from './client.ts'
import { createDispatch } from './dispatch.ts'

/** An ingress that takes messages only when it is let to. */
async function startSlowIngress() {
  const seen: string[] = []
  let atOnce = 0
  let most = 0
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = createServer(async ({ url = '' }, response) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    await opened
    seen.push(url.split('/').at(-2) ?? '')
    atOnce -= 1
    response.statusCode = url.includes('refused') ? 500 : 200
    response.end(JSON.stringify({ invocationId: 'inv_1' }))
  })
  server.keepAliveTimeout = 0 // it would close a connection on a client that was held up for five seconds
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { url: `http://127.0.0.1:${address.port}`, seen, open, mostAtOnce: () => most, atOnce: () => atOnce }
}

test('every message goes out once, a bounded number at a time, and what fails is logged', async () => {
  const ingress = await startSlowIngress()
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line).key) })
  const dispatch = createDispatch({ engine: connectEngine(ingress.url), log })
  const keys = Array.from({ length: 100 }, (_, n) => (n === 50 ? 'refused' : `key${n}`))
  for (const key of keys) dispatch.soon({ service: 'target', key, handler: 'admit' })
  await eventually(
    'the lines to be full',
    async () => ingress.atOnce(),
    (n) => n === 32,
  )
  ingress.open()
  await dispatch.settled()
  expect(ingress.seen.toSorted()).toEqual(keys.toSorted())
  expect(ingress.mostAtOnce()).toBe(32)
  expect(logged).toEqual(['refused'])
})

test('messages beyond what is worth keeping are left to the sweep', async () => {
  const ingress = await startSlowIngress()
  let dropped = 0
  const log = pino({ level: 'warn' }, { write: () => void dropped++ })
  const dispatch = createDispatch({ engine: connectEngine(ingress.url), log })
  for (let n = 0; n < 10_050; n++) dispatch.soon({ service: 'target', key: `key${n}`, handler: 'admit' })
  expect(dropped).toBe(10_050 - 10_000 - 32)
  ingress.open()
  await dispatch.settled()
  expect(ingress.seen).toHaveLength(10_032)
})
