import { expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../platform/metrics/metrics.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { reportBackup } from '../backup-reports/store.ts'
import { measureInstallation } from './installation.ts'

async function metricsOfDatabase() {
  const database = await openTestDatabase()
  onTestFinished(() => database.close())
  return {
    db: database.db,
    /** Starts a process that has read nothing yet. */
    async read() {
      const metrics = createMetrics()
      measureInstallation({ db: database.db, metrics, clock: () => new Date() })
      return metrics.registry.metrics()
    },
  }
}

test('the last reported backup is returned, and none before', async () => {
  const { db, read } = await metricsOfDatabase()
  expect(await read()).toMatch(/^sluice_last_backup_timestamp_seconds 0$/m)
  await reportBackup(db, new Date('2026-03-01T12:00:00Z'))
  await reportBackup(db, new Date('2026-03-02T12:00:00Z'))
  const seconds = Date.parse('2026-03-02T12:00:00Z') / 1_000
  expect(await read()).toMatch(new RegExp(`^sluice_last_backup_timestamp_seconds ${seconds}$`, 'm'))
})

test('without active work, each type is reported as 0, and no channel is failing', async () => {
  const { read } = await metricsOfDatabase()
  const text = await read()
  for (const kind of ['deployment', 'run', 'step', 'runner_task', 'cloud_event', 'notification_channel'])
    expect(text).toMatch(new RegExp(`^sluice_work_stalled_seconds\\{kind="${kind}"\\} 0$`, 'm'))
  expect(text).toMatch(/^sluice_notification_channels\{state="failing"\} 0$/m)
})
