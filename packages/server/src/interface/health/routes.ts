import { type HealthStatus, type ReadinessCheck, routes } from '@sluice/contract'
import { databaseAcceptsWrites, databaseAnswers } from '../../platform/db/health.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export type HealthParts = {
  db: Db
  engine: Engine
  /** Whether the engine can call the worker that this process is; undefined where it is none. Never rejects. */
  knowsWorker(): Promise<boolean | undefined>
  /** Whether callers are to come: all is there that is put in at the start, and the process does not end. */
  isWanted(): boolean
}

export function serveHealth(app: App, { db, engine, knowsWorker, isWanted }: HealthParts): void {
  handle(app, routes.getLiveness, async () => ({ data: { status: 'ok' as const } }))

  handle(app, routes.getReadiness, async () => {
    const [database, databaseWrites, engineAnswers, worker] = await Promise.all([
      databaseAnswers(db),
      databaseAcceptsWrites(db),
      engine.healthy(),
      knowsWorker(),
    ])
    const results: [ReadinessCheck, boolean | undefined][] = [
      ['database', database],
      ['databaseWrites', databaseWrites],
      ['engine', engineAnswers],
      ['worker', worker],
      ['process', isWanted()],
    ]
    const failed = results.flatMap(([check, hasPassed]) => (hasPassed === false ? [check] : []))
    if (failed.length > 0) throw notReady(failed)
    const ok = 'ok' as const
    const checks = { database: ok, databaseWrites: ok, engine: ok, process: ok }
    return { data: { status: ok, checks: worker === undefined ? checks : { ...checks, worker: ok } } }
  })
}

const reasons: Record<ReadinessCheck, string> = {
  database: 'the database does not answer',
  databaseWrites: 'the database does not accept writes',
  engine: 'the engine does not answer',
  worker: 'the engine does not know the worker of this process',
  process: 'the process is starting or shutting down',
}

function notReady(failed: ReadinessCheck[]): Refusal {
  const unavailable: HealthStatus = 'unavailable'
  return new Refusal(
    'notReady',
    `Cannot serve requests: ${failed.map((check) => reasons[check]).join('; ')}. Retry in a few seconds. ` +
      'If that does not help, read the log of the process.',
    { metadata: { checks: Object.fromEntries(failed.map((check) => [check, unavailable])) } },
    { 'retry-after': '2' },
  )
}
