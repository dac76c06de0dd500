import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startHttpWorld } from '../../../testing/http-world.ts'

test('the server stops without waiting for connections that never sent a request', async () => {
  const world = await startHttpWorld()
  const port = Number(new URL(world.url).port)
  const unused = connect(port, '127.0.0.1').resume()
  const half = connect(port, '127.0.0.1').resume()
  await Promise.all([once(unused, 'connect'), once(half, 'connect')])
  half.write('GET /health/live HTTP/1.1\r\n')
  // Accepted after the two connections, so the server has registered them when it answers this request.
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)

  const ended = Promise.all([once(unused, 'close'), once(half, 'close')])
  await world[Symbol.asyncDispose]()
  await ended
})
