import { findCaller } from './identity/auth/store.ts'
import { createIdempotentExecutor } from './interface/idempotency/answer-once.ts'
import { describeScope } from './interface/scopes/describe.ts'
import { type Attempts, attemptLimits, createAttempts } from './platform/auth/attempts.ts'
import { createCallers } from './platform/auth/callers.ts'
import { declarationsOf, type Platform } from './platform/domain.ts'
import { notifyEngine } from './platform/engine/tell.ts'
import { type App, createApp } from './platform/http/app.ts'
import { logRequests } from './platform/log/requests.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { measureRequests } from './platform/metrics/requests.ts'
import { traceRequests } from './platform/traces/requests.ts'
import { accessDigestsIn, withAccess } from './projects/role-grants/access.ts'

type ApiOptions = {
  /** The measurements that the app serves. */
  metrics: Metrics
  /** Adds what concerns all operations, before there are any. */
  prepare?: (app: App) => void
  /** Counts failures of callers to prove who they are. */
  attempts?: Attempts
}

/** Opens an app with the operations of all domains. */
export async function openApi(platform: Platform, { metrics, prepare, attempts }: ApiOptions): Promise<App> {
  const { domains, config, database, keys, clock, limits, logs, openPage, ownRequests } = platform
  const { db, ofOrganization } = database
  const { publicUrl, trustedProxies, corsOrigins } = config
  const sessionLife = {
    unusedS: config.sessionIdleHours * 3600,
    longestS: config.sessionMaxHours * 3600,
    clock: clock.now,
  }
  const callers = createCallers(
    async (credential) => withAccess(ofOrganization, await findCaller(db, credential, sessionLife)),
    clock.monotonicMs,
  )
  const app = await createApp({
    log: logs.requests,
    callers,
    ofOrganization,
    answerOnce: createIdempotentExecutor({ secrets: keys.secretsFor('answers'), clock: clock.now }),
    readRights: accessDigestsIn(db, sessionLife),
    attempts: attempts ?? createAttempts(attemptLimits, clock),
    sessionLife,
    limits,
    metrics,
    openPage,
    sendMessages: (messages) => notifyEngine(platform, messages),
    declarations: declarationsOf(platform),
    tellPlace: describeScope,
    ownRequests,
    corsOrigins,
    publicUrl,
    trustedProxies,
  })
  prepare?.(app)
  for (const domain of domains) await domain.prepareApp?.(app)
  for (const domain of domains) await domain.serve(app, platform)
  return app
}

/** Traces, counts and logs the requests of an app. */
export function observeRequests(app: App, { spans, config }: Platform): void {
  if (spans) traceRequests(app, spans)
  measureRequests(app, app.metrics)
  logRequests(app, { fromMs: config.logRequestsMs, oneIn: config.logRequestsEvery })
}
