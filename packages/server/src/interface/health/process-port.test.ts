import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../platform/metrics/metrics.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { freePort } from '../../testing/free-port.ts'
import { type ProcessPortParts, serveProcessPort } from './process-port.ts'

const host = '127.0.0.1'
const lastMessageAt = new Date('2026-03-01T12:00:00Z')

async function startPort(other: Partial<ProcessPortParts> = {}) {
  const database = await openTestDatabase()
  onTestFinished(() => database.close())
  const port = await freePort()
  const parts: ProcessPortParts = {
    db: database.db,
    metrics: createMetrics(),
    clock: () => new Date(),
    metricsToken: 'prometheus',
    engine: { healthy: async () => true },
    knowsWorker: async () => true,
    isClockRight: () => true,
    isWanted: () => true,
    lastMessageAt: () => lastMessageAt,
    host,
    port,
    ...other,
  }
  const served = await serveProcessPort(parts)
  onTestFinished(() => served.stop())
  return (path: string, headers: Record<string, string> = {}) => fetch(`http://${host}:${port}${path}`, { headers })
}

test('a process without the API serves its metrics to clients with the token', async () => {
  const ask = await startPort()
  const authorization = 'Bearer prometheus'
  expect((await ask('/metrics')).status).toBe(401)
  expect((await ask('/other', { authorization })).status).toBe(404)
  const answer = await ask('/metrics', { authorization })
  expect(await answer.text()).toMatch(/^sluice_work_stalled_seconds\{kind="deployment"\} 0$/m)
})

test('without a configured token no client can read the metrics, and probes are answered', async () => {
  const ask = await startPort({ metricsToken: undefined })
  expect((await ask('/metrics', { authorization: 'Bearer undefined' })).status).toBe(401)
  expect(await (await ask('/health/live')).json()).toEqual({ data: { status: 'ok' } })
})

test('the readiness of a worker has its checks and the time of its last message', async () => {
  const ask = await startPort()
  const answer = await ask('/health/ready')
  const passed = ['database', 'databaseWrites', 'engine', 'worker', 'clock', 'process'].map((check) => [check, 'ok'])
  expect(await answer.json()).toEqual({
    data: { status: 'ok', checks: Object.fromEntries(passed), lastMessageAt: lastMessageAt.toISOString() },
  })
})

test('a worker is ready before the engine knows it, because the engine reaches only ready workers', async () => {
  const ask = await startPort({ engine: { healthy: async () => false }, knowsWorker: async () => false })
  const answer = await ask('/health/ready')
  expect(answer.status, 'see ofEngine in process-port.ts').toBe(200)
  expect(await answer.json()).toMatchObject({ data: { checks: { engine: 'unavailable', worker: 'unavailable' } } })
})

test('a worker with a wrong clock is not ready, with the reason', async () => {
  const ask = await startPort({ isClockRight: () => false })
  const answer = await ask('/health/ready')
  expect(answer.status).toBe(503)
  expect(await answer.json(), 'see readiness.ts').toMatchObject({
    code: 'Sluice:Server:NOT_READY',
    message: expect.stringContaining('the clock of this machine differs'),
    metadata: { checks: { clock: 'unavailable' } },
  })
})

test('a port that is in use is reported with the remedy', async () => {
  const port = await freePort()
  const other = createServer().listen(port, host)
  onTestFinished(() => void other.close())
  const start = serveProcessPort({ host, port } as ProcessPortParts)
  await expect(start).rejects.toThrow(`Cannot listen on ${host}:${port}: EADDRINUSE.`)
})
