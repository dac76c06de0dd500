import type { HealthStatus, Readiness, ReadinessCheck } from '@sluice/contract'
import { databaseAcceptsWrites, databaseAnswers } from '../../platform/db/health.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { ApiError } from '../../platform/http/api-error.ts'

export type ReadinessParts = {
  db: Db
  engine: Pick<Engine, 'healthy'>
  /** Returns whether the engine can call the worker in this process; undefined if there is none. Never rejects. */
  knowsWorker(): Promise<boolean | undefined>
  /** Returns whether the clock of this machine agrees with the database's; undefined if no worker depends on it. */
  isClockRight(): boolean | undefined
  /** Returns whether the process should receive requests: its start is complete, and it is not stopping. */
  isWanted(): boolean
}

/**
 * Returns the readiness of this process.
 * @throws {ApiError} notReady with the failed checks. Checks in `reportedOnly` are in the response without affecting
 * readiness.
 */
export async function checkReadiness(
  parts: ReadinessParts,
  reportedOnly: readonly ReadinessCheck[] = [],
): Promise<Readiness> {
  const { db, engine, knowsWorker, isClockRight, isWanted } = parts
  const [database, databaseWrites, engineAnswers, worker] = await Promise.all([
    databaseAnswers(db),
    databaseAcceptsWrites(db),
    engine.healthy(),
    knowsWorker(),
  ])
  const clock = isClockRight()
  const results: [ReadinessCheck, boolean | undefined][] = [
    ['database', database],
    ['databaseWrites', databaseWrites],
    ['engine', engineAnswers],
    ['worker', worker],
    ['clock', clock],
    ['process', isWanted()],
  ]
  const failed = results.flatMap(([check, hasPassed]) => (hasPassed === false ? [check] : []))
  const decisive = failed.filter((check) => !reportedOnly.includes(check))
  if (decisive.length > 0) throw notReady(decisive)
  const statusOf = (hasPassed: boolean): HealthStatus => (hasPassed ? 'ok' : 'unavailable')
  const checks = results.flatMap(([check, hasPassed]) =>
    hasPassed === undefined ? [] : [[check, statusOf(hasPassed)] as const],
  )
  return { status: 'ok', checks: Object.fromEntries(checks) as Readiness['checks'] }
}

const reasons: Record<ReadinessCheck, string> = {
  database: 'the database does not answer',
  databaseWrites: 'the database does not accept writes',
  engine: 'the engine does not answer',
  worker: 'the engine does not know the worker of this process',
  clock: "the clock of this machine differs from the database's, so the worker accepts no work",
  process: 'the process is starting or shutting down',
}

function notReady(failed: ReadinessCheck[]): ApiError {
  const unavailable: HealthStatus = 'unavailable'
  return new ApiError(
    'notReady',
    `Cannot serve requests: ${failed.map((check) => reasons[check]).join('; ')}. Retry in a few seconds. ` +
      'If that does not help, read the log of the process.',
    { metadata: { checks: Object.fromEntries(failed.map((check) => [check, unavailable])) } },
    { 'retry-after': '2' },
  )
}
