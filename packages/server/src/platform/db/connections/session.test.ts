import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../open.ts'

/** Parameters that PgBouncer accepts of a client that connects (documentation of `ignore_startup_parameters`, 1.24). */
const accepted = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone']

test('a connection starts with parameters that poolers accept', async () => {
  const { promise: message, resolve } = Promise.withResolvers<Buffer>()
  const server = createServer((socket) => {
    socket.once('data', (data) => {
      resolve(data)
      socket.destroy()
    })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  await expect(openDatabase({ url: `postgres://sluice:secret@127.0.0.1:${port}/sluice` })).rejects.toThrow()

  // The startup message: its length, the version of the protocol, and then names and values, each ended by a zero byte.
  const words = (await message).subarray(8).toString().split('\0')
  const names = words.filter((word, index) => index % 2 === 0 && word !== '')
  expect(names).toContain('user')
  expect(names.filter((name) => !accepted.includes(name))).toEqual([])
})
