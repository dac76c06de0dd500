import { execFile } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const guard = fileURLToPath(new URL('./no-network.ts', import.meta.url))

let connections = 0
const server = createServer(() => connections++)
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

/**
 * Runs code in a process that is restricted like a rehearsal, and returns its error. `PORT` in the code is a listening
 * port.
 */
async function rejectionOf(attempt: string): Promise<string> {
  const { port } = server.address() as AddressInfo
  const code = `import { rejectConnections } from ${JSON.stringify(guard)}
    rejectConnections()
    try { ${attempt.replaceAll('PORT', String(port))}; console.log('got out') }
    catch (error) { console.log(error.cause?.message ?? error.message) }`
  const limits = ['--permission', '--allow-fs-read=*', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...limits, '--eval', code], { env: {} })
  return stdout.trim()
}

test.for([
  ['fetch', `await fetch('http://127.0.0.1:PORT')`],
  ['an HTTP request', `(await import('node:http')).get('http://127.0.0.1:PORT')`],
  ['HTTP/2', `(await import('node:http2')).connect('http://127.0.0.1:PORT')`],
  ['TLS', `(await import('node:tls')).connect(PORT, '127.0.0.1')`],
  ['a socket', `(await import('node:net')).connect(PORT, '127.0.0.1')`],
  ['a Unix socket', `(await import('node:net')).connect('/tmp/none')`],
  ['a datagram', `(await import('node:dgram')).createSocket('udp4').send('x', PORT, '127.0.0.1')`],
  ['a name', `await (await import('node:dns')).promises.lookup('localhost')`],
  ['a name by another way', `await (await import('node:dns')).promises.resolve('localhost')`],
  ['a server', `(await import('node:http')).createServer().listen(0)`],
  [
    'WebSocket',
    `await new Promise((resolve, reject) => { const s = new WebSocket('ws://127.0.0.1:PORT'); s.onopen = resolve; s.onerror = () => reject(new Error('no connection: has no network')) })`,
  ],
] as const)('a rehearsal cannot reach anything by %s', async ([, attempt]) => {
  expect(await rejectionOf(attempt)).toContain('has no network')
  expect(connections).toBe(0)
})

test.for([
  ['another program', `(await import('node:child_process')).spawnSync('true')`],
  ['a worker', `new (await import('node:worker_threads')).Worker('./none.js')`],
  ['a file that it writes', `(await import('node:fs')).writeFileSync('/tmp/none', '')`],
] as const)('a rehearsal cannot start or change anything: %s', async ([, attempt]) => {
  expect(await rejectionOf(attempt)).toMatch(/[Aa]ccess to this API has been restricted/)
})
