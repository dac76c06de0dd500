import { documentBounds } from '@sluice/contract/bounded-json'
import {
  AcquireAttempts,
  CompleteAttempt,
  Heartbeat,
  LogChunk,
  type Outcome,
  ProgressReport,
  protocolVersion,
  RedeemToken,
  RegisterRunner,
  RunnerShutdown,
  runnerPaths,
} from '@sluice/contract/runner-protocol'
import { mapOutcome } from '@sluice/contract/runner-protocol/map-outcome'
import { toStorableOutput, toStorableValue } from '@sluice/contract/storable-value'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { saveTools } from '../../cloud/execution-environments/runner-tools.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { present } from '../../platform/present.ts'
import { maskSecrets } from '../pipeline-runs/secrets.ts'
import { type SettleParts, settleAttempt } from '../pipeline-runs/settle.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { recordRunner } from '../runner-pools/join.ts'
import { redeem } from '../runner-tasks/scope.ts'
import type { TaskTokens } from '../runner-tasks/tokens.ts'
import type { LogNotifier } from '../step-logs/notifier.ts'
import { Assignments } from './assignments.ts'
import { attemptEndpoints, attemptOver } from './attempt-endpoint.ts'
import type { AttemptTokens } from './attempt-tokens.ts'
import { saveAttempt } from './claim.ts'
import { answerLeaseRequest, paceFor, type RunnerPace, recordHeartbeat, releaseAttempts } from './claims.ts'
import { cloudSession } from './cloud-session.ts'
import { serveEndpoints } from './endpoints.ts'
import { assignNext, followerOf } from './follow.ts'
import type { OrderMakers } from './order.ts'
import type { ReadySteps } from './ready.ts'
import { type FindRunnerScope, isOfAttempt, isOfPool, type RunnerScope } from './runner-tokens.ts'
import { type SourceAccessParts, sourceAccess } from './source-access.ts'
import { storeLog } from './store-log.ts'
import { findTenancy } from './tenancy.ts'

export type RunnersParts = SourceAccessParts & {
  db: Db
  seal: Seal
  engine: Engine
  cloud: Cloud
  bell: LogNotifier
  ready: ReadySteps
  /** Creators of instructions, by step type. */
  orders: OrderMakers
  attemptTokens: AttemptTokens
  taskTokens: TaskTokens
  findRunnerScope: FindRunnerScope
  hasSharedRunners: boolean
  registration: 'open' | 'closed'
  /** Whether all organizations belong to one tenant. */
  hasOneTenant?: boolean
  runnerPace: RunnerPace
  clock: () => Date
  log: Logger
}

const nothing = Type.Object({}, { additionalProperties: false })
/** Values that are too deeply nested are omitted instead of rejected. */
const anyDepth = { bounds: documentBounds }
/**
 * Maximum size of a step's result in bytes: its output (`outputBounds`, up to three bytes per character) and the end of
 * its log.
 */
const settlementBytes = 16 * 1024 * 1024

/** Serves runners: their lease requests, and the reports and requests of their attempts. */
export function serveRunners(app: App, given: RunnersParts): Assignments {
  const { db, engine, bell, clock, ready, orders, log, findRunnerScope, runnerPace: pace, hasSharedRunners } = given
  const { ofOrganization } = app
  const settle = async (attempt: AttemptKey, outcome: Outcome, further: Partial<SettleParts> = {}) => {
    const parts = { db: ofOrganization(attempt.organizationId), clock, hasSharedRunners, ...further }
    const settled = await settleAttempt(parts, attempt, outcome)
    await notifyEngine({ engine, log }, settled?.messages ?? [])
    ready.tell() // steps that can continue or waited for their stack or the limit
    return settled
  }
  const handOut = new Assignments({ ...given, ofOrganization, settle })
  const stepTypes = Object.keys(orders)
  const { mosts } = app.limits
  const parts = {
    ...given,
    handOut,
    pace,
    stepTypes,
    mostRunning: mosts.runningSteps,
    mosts,
    tenancyOf: findTenancy(db, given),
  }
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort()) // a pending lease request would block the shutdown
  const whoIs = async (token: string) => {
    const scope = await findRunnerScope(token)
    if (scope) return scope
    throw new ApiError('unauthenticated', 'Send the token of a runner.')
  }
  const door = attemptEndpoints({ ...parts, ofOrganization })
  const own = ({ organizationId }: PipelineStepExecutionRow) => ({ ...parts, db: ofOrganization(organizationId) })

  serveEndpoints(app, (add) => {
    add({
      path: runnerPaths.redeem,
      body: RedeemToken,
      whoIs: async (token) => token,
      async answer(token, { key }) {
        const redeemed = await redeem(parts, token, key)
        if (redeemed) return redeemed
        throw new ApiError('unauthenticated', 'Send the token of a task that has not been redeemed by another.')
      },
    })
    add({
      path: runnerPaths.hello,
      body: RegisterRunner,
      whoIs,
      async answer(scope, { protocol, tools, ...runner }) {
        if (protocol !== protocolVersion) throw mismatch(protocol)
        if (isOfPool(scope)) await recordRunner(db, scope, runner, clock())
        if (tools) await saveTools(db, versionReporter(scope, runner.runnerId), tools, clock())
        log.info({ runner, tools }, 'a runner is here')
        const { heartbeatMs, leaseMs } = paceFor(scope, pace)
        return { heartbeatMs, leaseMs }
      },
    })
    add({
      path: runnerPaths.claim,
      body: AcquireAttempts,
      whoIs,
      answer: (scope, claim, reply) => answerLeaseRequest(parts, scope, claim, goneOr(reply, closing.signal)),
    })
    add({
      path: runnerPaths.heartbeat,
      body: Heartbeat,
      whoIs,
      answer: async (scope, heartbeat) => ({ attempts: await recordHeartbeat(parts, scope, heartbeat) }),
    })
    add({
      path: runnerPaths.leave,
      body: RunnerShutdown,
      whoIs,
      async answer(scope, leave) {
        await releaseAttempts(parts, scope, leave)
        return {}
      },
    })

    add(
      door(runnerPaths.log, LogChunk, async (step, piece) => {
        const { mask } = await handOut.known(step)
        await storeLog({ ...own(step), mask }, step, [piece])
        bell.ring(step.id)
        return undefined
      }),
    )
    add(
      door(
        runnerPaths.progress,
        ProgressReport,
        async (step, { detail }) => {
          const { mask } = await handOut.known(step)
          const { value: shown } = toStorableValue(detail)
          await saveAttempt(own(step).db, step, { statusDetail: maskSecrets(shown as typeof detail, mask.secrets) })
          return undefined
        },
        anyDepth,
      ),
    )
    add(
      door(runnerPaths.sourceAccess, nothing, async (step) =>
        sourceAccess(own(step), step.organizationId, await orderOf(step)),
      ),
    )
    add(door(runnerPaths.cloudSession, nothing, async (step) => cloudSession(own(step), step, await orderOf(step))))
    const settling = door(
      runnerPaths.settle,
      CompleteAttempt,
      async (step, { outcome, log: pieces, goesOn }, reply) => {
        const { mask, given: known } = await handOut.known(step)
        const keep = (tx: Db) => storeLog({ ...own(step), db: tx, mask }, step, pieces)
        const follower = goesOn ? await followerOf(parts, step) : undefined
        const stored = mapOutcome(toStorableOutcome(outcome), (value) => maskSecrets(value, mask.secrets))
        const settled = await settle(step, stored, { keep, follower, known })
        handOut.forget(step)
        bell.ring(step.id)
        if (!settled) throw attemptOver()
        return present({ next: settled.next && (await assignNext(parts, settled.next, goneOr(reply, closing.signal))) })
      },
      { bodyLimit: settlementBytes, ...anyDepth },
    )
    // The transaction that stores the end checks that the attempt is still in progress.
    add({ ...settling, whoIs: async (token) => handOut.given(token)?.step ?? settling.whoIs(token) })
  })
  return handOut

  async function orderOf(step: PipelineStepExecutionRow) {
    const { ordered } = await handOut.known(step)
    if (ordered) return ordered
    throw new ApiError('attemptOver', 'The attempt has nothing left to do.')
  }
}

/**
 * Returns the identity under which tool versions are recorded. Runners of tasks have the same image, so the last one
 * represents all.
 */
const versionReporter = (scope: RunnerScope, runnerId: string) => ({
  executionEnvironmentId: scope.organizationId === undefined ? undefined : scope.executionEnvironmentId,
  runnerId: isOfAttempt(scope) ? 'task' : runnerId,
})

const mismatch = (protocol: number) =>
  new ApiError(
    'runnerMismatch',
    `The runner uses version ${protocol} of the runner protocol, but this API uses version ${protocolVersion}. ` +
      'Start a runner of the same release as the API.',
  )

/** Returns a signal that aborts when the client disconnects, because steps leased for it then would be lost. */
function goneOr({ raw }: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return AbortSignal.any([gone.signal, closing])
}

/** Omits and names values that cannot be stored, because the attempt's work is done regardless. */
function toStorableOutcome(outcome: Outcome): Outcome {
  if (outcome.status !== 'SUCCESS') return outcome
  const { output = {}, omittedValues: reported = [] } = outcome
  const { value, omittedValues } = toStorableOutput(output, 'output')
  return { status: 'SUCCESS', output: value, omittedValues: [...reported, ...omittedValues] }
}
