import {
  deploymentStatuses,
  deploymentTypes,
  isDeploymentOver,
  queueReasons,
  unfinishedDeploymentStatuses,
  unfinishedRunStatuses,
} from '@sluice/contract'
import { Gauge } from 'prom-client'
import type { Db } from '../../platform/db/open.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { findLastBackup } from '../backup-reports/store.ts'
import { countChannels, findEnded, findStalled, findUnfinished, findWaiting } from './store.ts'

export type MetricsParts = { db: Db; metrics: Metrics; clock: () => Date }

/** Cache TTL in milliseconds, because several servers may scrape one process. */
const cacheTtlMs = 5_000

const kinds = ['deployment', 'run', 'step'] as const

/** Series that are reported as 0 without any records, so that rules have data. */
const zeroSeries = [
  ...deploymentTypes.flatMap((detail) =>
    unfinishedDeploymentStatuses.map((status) => ({ kind: 'deployment', detail, status })),
  ),
  ...unfinishedRunStatuses.map((status) => ({ kind: 'run', detail: '', status })),
  ...queueReasons.map((detail) => ({ kind: 'step', detail, status: 'QUEUED' })),
]

const ends = deploymentStatuses.filter(isDeploymentOver)

/**
 * Registers metrics of the whole installation, which are read from the database on a scrape. Every process reports the
 * same, so that rules take the maximum over processes, not the sum.
 */
export function measureInstallation({ db, metrics: { registry }, clock }: MetricsParts): void {
  const registers = [registry]
  const labelNames = ['kind', 'detail', 'status'] as const
  const records = new Gauge({
    name: 'sluice_records',
    help: 'Deployments, runs and steps that are not over, by type or by what they wait for.',
    labelNames,
    registers,
    collect,
  })
  const eldest = new Gauge({
    name: 'sluice_records_eldest_seconds',
    help: 'How long ago the eldest of them was made.',
    labelNames,
    registers,
    collect,
  })
  const overdue = new Gauge({
    name: 'sluice_wakeups_overdue',
    help: 'Overdue records: messages were lost, or the engine is behind.',
    labelNames: ['kind'],
    registers,
    collect,
  })
  const stalled = new Gauge({
    name: 'sluice_work_stalled_seconds',
    help: 'For how long the oldest record has waited past the time at which a worker had to move it on.',
    labelNames: ['kind'],
    registers,
    collect,
  })
  const ended = new Gauge({
    name: 'sluice_deployments_ended_last_hour',
    help: 'Deployments that ended within the last hour, by type and how they ended.',
    labelNames: ['type', 'status'],
    registers,
    collect,
  })
  const events = new Gauge({
    name: 'sluice_cloud_events_waiting',
    help: 'Events of cloud accounts that are not processed yet.',
    registers,
    collect,
  })
  const channels = new Gauge({
    name: 'sluice_notification_channels',
    help: 'Notification channels that are switched on, by whether what was sent to them last arrived.',
    labelNames: ['state'],
    registers,
    collect,
  })
  const backup = new Gauge({
    name: 'sluice_last_backup_timestamp_seconds',
    help: 'When the last backup ended that was reported by `sluice report-backup`; 0 where none was.',
    registers,
    collect,
  })
  const runners = new Gauge({
    name: 'sluice_runners',
    help: 'Runners of organizations, by whether they were heard of within the last minute.',
    labelNames: ['state'],
    registers,
    collect,
  })

  let read: Promise<void> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  /** Shares one read among concurrent scrapes. */
  async function collect(): Promise<void> {
    if (read === undefined || performance.now() - readAt > cacheTtlMs) {
      readAt = performance.now()
      read = readAll()
    }
    await read
  }

  async function readAll(): Promise<void> {
    const now = clock()
    const [standing, stalledNow, over, waiting, { enabled, failing }, lastBackup] = await Promise.all([
      findUnfinished(db, now),
      findStalled(db, now),
      findEnded(db, now),
      findWaiting(db, now),
      countChannels(db),
      findLastBackup(db),
    ])
    for (const gauge of [records, eldest, ended]) gauge.reset()
    for (const labels of zeroSeries) {
      records.set(labels, 0)
      eldest.set(labels, 0)
    }
    for (const kind of kinds) overdue.set({ kind }, 0)
    for (const { kind, detail, status, count, eldestS, overdue: behind } of standing) {
      records.set({ kind, detail, status }, count)
      eldest.set({ kind, detail, status }, eldestS)
      overdue.inc({ kind }, behind)
    }
    for (const { kind, seconds } of stalledNow) stalled.set({ kind }, seconds)
    for (const type of deploymentTypes) {
      for (const status of ends) ended.set({ type, status }, 0)
    }
    for (const { deploymentType: type, status, count } of over) ended.set({ type, status }, count)
    events.set(waiting.events)
    channels.set({ state: 'ok' }, enabled - failing)
    channels.set({ state: 'failing' }, failing)
    backup.set((lastBackup?.getTime() ?? 0) / 1_000)
    runners.set({ state: 'online' }, waiting.online)
    runners.set({ state: 'offline' }, waiting.offline)
  }
}
