import { Gauge } from 'prom-client'
import type { Db } from '../../platform/db/open.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { findStanding, findWaiting } from './store.ts'

export type MetricsParts = { db: Db; metrics: Metrics; clock: () => Date }

/** However often it is asked: several may scrape one process. Milliseconds. */
const freshForMs = 5_000

/**
 * What the database says of the whole installation, read when metrics are asked for. Every process tells the same, so
 * rules take the maximum over processes, not the sum.
 */
export function measureStanding({ db, metrics: { registry }, clock }: MetricsParts): void {
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
    help: 'Records that should have been looked at by now: messages were lost, or the engine is behind.',
    labelNames: ['kind'],
    registers,
    collect,
  })
  const events = new Gauge({
    name: 'sluice_cloud_events_waiting',
    help: 'Events of cloud accounts that are not carried out yet.',
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
  /** Each of them waits for the same read. */
  async function collect(): Promise<void> {
    if (read === undefined || performance.now() - readAt > freshForMs) {
      readAt = performance.now()
      read = readAll()
    }
    await read
  }

  async function readAll(): Promise<void> {
    const [standing, waiting] = await Promise.all([findStanding(db, clock()), findWaiting(db, clock())])
    for (const gauge of [records, eldest, overdue]) gauge.reset()
    for (const kind of ['deployment', 'run', 'step']) overdue.set({ kind }, 0)
    for (const { kind, detail, status, count, eldestS, overdue: late } of standing) {
      records.set({ kind, detail, status }, count)
      eldest.set({ kind, detail, status }, eldestS)
      overdue.inc({ kind }, late)
    }
    events.set(waiting.events)
    runners.set({ state: 'online' }, waiting.online)
    runners.set({ state: 'offline' }, waiting.offline)
  }
}
