import { expect, test } from 'vitest'
import { createMetrics } from '../../platform/metrics/metrics.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { freePort } from '../../testing/free-port.ts'
import { serveMetricsAlone } from './alone.ts'

test('a process without the interface tells its own to whoever has the token', async () => {
  const database = await openTestDatabase()
  const port = await freePort()
  const parts = { db: database.db, metrics: createMetrics(), clock: () => new Date() }
  const served = await serveMetricsAlone(parts, { token: 'prometheus', host: '127.0.0.1', port })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const authorization = 'Bearer prometheus'
  expect((await ask('/metrics')).status).toBe(401)
  expect((await ask('/other', { authorization })).status).toBe(404)
  const answer = await ask('/metrics', { authorization })
  expect(await answer.text()).toMatch(/^sluice_wakeups_overdue\{kind="deployment"\} 0$/m)
  await database.close()
  await served.stop()
})
