import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { takeFatalError, throwFatalError } from './fatal-error.ts'
import { openGateway } from './gateway.ts'
import { PatientClient } from './patient-client.ts'
import { Progress, StalledError, throwFirstError, withProgressLimit } from './progress.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

const maxStallMs = 3_000

const start = (env: Record<string, string> = {}) => startCrashWorld({ speed: 1_200, people: settle, env })

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service(null)
  return { client: new PatientClient(world.url, organization.client.token), moduleInstanceId }
}

/** Starts a server for the current test. Returns its port. */
async function listen(onRequest: RequestListener): Promise<number> {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

test.each([
  ['its port is taken', async () => ({ PORT: String(await listen(() => {})) }), /exit code 1.*EADDRINUSE/s],
  [
    'its database is unreachable',
    async () => ({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
    /exit code 1.*ECONNREFUSED/s,
  ],
])(
  'a service that cannot start because %s ends every wait at once, with the end of its log',
  async (_, env, message) => {
    const { service, people } = await start(await env())
    const user = new User(people.client, new Random(1))
    const waits = [service.ready(), people.client.ask('GET', '/deployments'), user.list()]
    const failed = { status: 'rejected', reason: { name: 'ProgramExitError', message: expect.stringMatching(message) } }
    expect(await Promise.allSettled(waits)).toMatchObject(waits.map(() => failed))
    expect(takeFatalError()?.name).toBe('ProgramExitError') // otherwise the end of the test throws it
  },
)

test('a frozen engine is reported with what the wait was for and what it saw last', async () => {
  const { service, people } = await start()
  await service.ready()
  await service.freezeEngine()
  const user = new User(people.client, new Random(1), quickMs, maxStallMs)
  const { id } = await user.deploy(people.moduleInstanceId, 'shop/app:2')
  const report = new RegExp(`^No progress for \\d+ s while waiting for the end of ${id}\\. Last seen: .*"PENDING"`)
  await expect(user.follow(id)).rejects.toThrow(report)
  await service.thawEngine()
  expect(await new User(people.client, new Random(1), quickMs).follow(id)).toMatchObject({ status: 'SUCCESS' })
})

test('a frozen service is reported although it never answers', async () => {
  const { service, people } = await start()
  await service.ready()
  service.freeze()
  const user = new User(people.client, new Random(1), quickMs, maxStallMs)
  await expect(user.list()).rejects.toThrow(/^No progress for \d+ s while waiting for an answer to GET \/deployments/)
})

test('the engine is found below a long TMPDIR, and an error names the directory if none is running', async () => {
  const directory = await mkdtemp(join(tmpdir(), `${'long-'.repeat(12)}-`))
  vi.stubEnv('TMPDIR', directory)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(directory, { recursive: true, force: true })
  })
  const { service } = await start()
  await service.ready()
  expect(service.dataDir.startsWith(directory)).toBe(true)
  await service.freezeEngine()
  await service.thawEngine()
  await service.stop()
  expect(await service.leftOver()).toEqual([])
  const missing = `No engine is running in ${service.dataDir}. See the log: ${service.logFile}`
  for (const signalled of [service.freezeEngine(), service.thawEngine(), service.killEngine()]) {
    await expect(signalled).rejects.toThrow(missing)
  }
})

test('the gateway tolerates lost connections on either side, and any other error fails the test', async () => {
  const cloudPort = await listen((request, response) => {
    if (request.url === '/dies') response.destroy()
    else if (request.url === '/dies-amid')
      response.writeHead(200, { 'content-length': '9' }).write('begun', () => response.destroy())
    else response.end('answered')
  })
  const abort = new AbortController()
  const url = await openGateway(`http://127.0.0.1:${cloudPort}`, {
    done(operation) {
      if (operation === 'GET /caller-dies') abort.abort()
      if (operation === 'GET /fault') throw new Error('not a lost connection')
    },
  })
  await expect(fetch(`${url}/caller-dies`, { signal: abort.signal })).rejects.toThrow('aborted')
  for (const path of ['/dies', '/dies-amid']) await expect(fetch(url + path)).rejects.toThrow('fetch failed')
  expect(await (await fetch(url)).text()).toBe('answered')
  throwFatalError()
  await expect(fetch(`${url}/fault`)).rejects.toThrow('fetch failed')
  expect(takeFatalError()?.message).toBe('The gateway failed: Error: not a lost connection')
})

test('a wait continues while something changes, and a stall is thrown only if nothing else went wrong', async () => {
  const progress = new Progress('the last number', { maxStallMs: 200 })
  const count = async () => {
    for (let number = 0; ; number += 1) {
      progress.observe({ number: Math.min(number, 20) })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const stall: unknown = await count().catch((error: unknown) => error)
  expect(stall).toBeInstanceOf(StalledError)
  expect(stall).toMatchObject({
    message: 'No progress for 0 s while waiting for the last number. Last seen: {"number":20}',
  })
  await expect(withProgressLimit('a message', new Promise(() => {}), { maxStallMs: 20 })).rejects.toBeInstanceOf(
    StalledError,
  )

  throwFirstError([])
  const lost = new Error('an effect was lost')
  expect(() => throwFirstError([stall, lost])).toThrow(lost)
  expect(() => throwFirstError([stall])).toThrow(StalledError)
})
