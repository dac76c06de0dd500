import { type HealthStatus, routes } from '@sluice/contract'
import { type Db, databaseAnswers } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'

export function serveHealth(app: App, { db, engine }: { db: Db; engine: Engine }): void {
  handle(app, routes.getLiveness, async () => ({ data: { status: 'ok' as const } }))

  handle(app, routes.getReadiness, async ({ reply }) => {
    const [database, engineWell] = await Promise.all([databaseAnswers(db), engine.healthy()])
    if (!database || !engineWell) reply.code(503)
    return {
      data: {
        status: inWord(database && engineWell),
        checks: { database: inWord(database), engine: inWord(engineWell) },
      },
    }
  })
}

const inWord = (isWell: boolean): HealthStatus => (isWell ? 'ok' : 'unavailable')
