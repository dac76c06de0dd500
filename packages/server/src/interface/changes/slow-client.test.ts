import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Change } from '@sluice/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { ChangeBatch } from './follower.ts'
import { sendChangesOver } from './socket.ts'

let server: WebSocketServer
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
})
afterEach(() => new Promise((closed) => server.close(closed)))

/** Returns both ends of a connection. */
async function connect(): Promise<{ ours: WebSocket; client: WebSocket }> {
  const { port } = server.address() as AddressInfo
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  const [[ours]] = await Promise.all([once(server, 'connection'), once(client, 'open')])
  return { ours, client }
}

const change = (index: number): Change => ({
  resource: 'deployments',
  id: `dep_${index}`,
  belongsTo: { projectId: 'prj_1' },
  changedAt: '2026-01-02T03:04:05.000Z',
})
/** Maximum content of one message. */
const much: ChangeBatch = {
  position: { transactionId: 7n, atMs: 1_000 },
  changes: Array.from({ length: 1_000 }, (_, index) => change(index)),
  isReset: false,
}
const messageBytes = JSON.stringify(much.changes).length

const stopping = new AbortController().signal
/** Number of messages, far more than the buffers of a connection hold. */
const mostNews = 1_000

test('a client that does not read is disconnected, and at most one message is buffered for it', async () => {
  const { ours, client } = await connect()
  client.pause()
  let told = 0
  let mostKept = 0
  async function* news() {
    for (; told < mostNews; told++) {
      mostKept = Math.max(mostKept, ours.bufferedAmount)
      yield much
    }
  }
  const ended = once(ours, 'close')
  await sendChangesOver(ours, { news: news(), stopping, patience: { slowMs: 300, deadMs: 60_000, endingMs: 100 } })
  expect(ours.bufferedAmount).toBeLessThan(2 * messageBytes)
  await ended
  expect(told).toBeLessThan(mostNews)
  expect(mostKept).toBeLessThan(2 * messageBytes)
  client.terminate()
})

test('a client that reads slowly receives everything', async () => {
  const { ours, client } = await connect()
  let read = 0
  client.on('message', () => {
    read++
    client.pause()
    setImmediate(() => client.resume())
  })
  async function* news() {
    for (let told = 0; told < 100; told++) yield much
  }
  const ended = once(client, 'close')
  await sendChangesOver(ours, { news: news(), stopping })
  expect(await ended).toEqual([4001, expect.any(Buffer)])
  expect(read).toBe(100)
})

test('a client without any sign of life is disconnected', async () => {
  const { ours, client } = await connect()
  client.pause()
  async function* news() {
    for (;;) {
      yield { ...much, changes: [] }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const ended = once(ours, 'close')
  await sendChangesOver(ours, { news: news(), stopping, patience: { slowMs: 30_000, deadMs: 200, endingMs: 100 } })
  await ended
  client.terminate()
})
