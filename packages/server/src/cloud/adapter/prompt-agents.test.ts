import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connectWithinMs, promptAgents } from './prompt-agents.ts'

/** Sends a request and runs `meanwhile` before any of it can have been written. */
async function heardOf(meanwhile: () => void): Promise<{ paths: (string | undefined)[]; error: unknown }> {
  const paths: (string | undefined)[] = []
  const server = createServer((asked, answer) => {
    paths.push(asked.url)
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { httpAgent } = promptAgents(1)
  const sent = request({ host: '127.0.0.1', port, path: '/update', method: 'POST', agent: httpAgent }).end('{}')
  sent.once('socket', () => process.nextTick(meanwhile))
  const [answer] = await Promise.allSettled([once(sent, 'response')])
  if (answer.status === 'rejected') await sleep(50) // a request written despite the abort would have arrived by now
  httpAgent.destroy()
  server.closeAllConnections()
  server.close()
  return { paths, error: answer.status === 'rejected' ? answer.reason : undefined }
}

test('a request is sent over a connection that opens at once', async () => {
  expect(await heardOf(() => {})).toEqual({ paths: ['/update'], error: undefined })
})

test('a process that was suspended while connecting does not send the request that waits for the connection', async () => {
  const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, connectWithinMs + 50)
  const { paths, error } = await heardOf(standStill)
  expect(paths).toEqual([])
  expect(error).toMatchObject({ message: expect.stringContaining('the connection took') })
})
