import { type HealthStatus, routes } from '@sluice/contract'
import { type Db, databaseAnswers } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'

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

  handle(app, routes.getReadiness, async ({ reply }) => {
    const [database, engineWell, worker] = await Promise.all([databaseAnswers(db), engine.healthy(), knowsWorker()])
    const isReady = database && engineWell && worker !== false && isWanted()
    if (!isReady) reply.code(503)
    const checks = { database: inWord(database), engine: inWord(engineWell) }
    return {
      data: {
        status: inWord(isReady),
        checks: worker === undefined ? checks : { ...checks, worker: inWord(worker) },
      },
    }
  })
}

const inWord = (isWell: boolean): HealthStatus => (isWell ? 'ok' : 'unavailable')
