import { routes } from '@sluice/contract'
import type { Logger } from 'pino'
import type { OpenParts } from '../../git/code-sources/open.ts'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { decisionsAbout } from '../../identity/audit-events/decisions.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisibleForCaller } from '../../platform/db/organization.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { triggerSourceOf } from '../../platform/http/channel.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn, includedInEach } from '../../platform/http/include.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { requireAdditionalPermission } from '../../platform/http/rights.ts'
import type { DeploymentReader } from '../deployment-archives/read.ts'
import { acceptPromotion } from '../promotions/promote.ts'
import { promotionOf } from '../promotions/representation.ts'
import { approvalIn } from './approvals/included.ts'
import type { ReleaseDigests } from './approvals/release-digest.ts'
import { type Admission, acceptDeployment, acceptRedeployment, type Trigger } from './create/accept.ts'
import { acceptRollback, rollbackOf } from './create/rollback.ts'
import { decide } from './execution/decide.ts'
import { cancelledBy } from './execution/failures.ts'
import { isFinal } from './execution/machine.ts'
import { type ContinueDecision, waitingHooks } from './execution/pauses.ts'
import { toDeployment } from './execution/wake.ts'
import { compare } from './representation/compare.ts'
import { serializeDeployment } from './representation/deployment.ts'
import { forecastOf } from './representation/forecast.ts'
import { queueOf } from './representation/queue.ts'
import { createReleaseNotes } from './representation/release-notes.ts'
import { type KnownCommits, sourcesOf } from './representation/sources.ts'
import { countQueuedDeployments, findDeployment, listDeployments } from './store/store.ts'
import type { DeploymentRow } from './store/tables.ts'
import { typeOf } from './types/deployment-types.ts'

type Parts = OpenParts & {
  engine: Engine
  openPage: OpenPage
  releaseDigests: ReleaseDigests
  clock: () => Date
  log: Logger
  knownCommits: KnownCommits
  deploymentReader: DeploymentReader
}

export function serveDeployments(app: App, parts: Parts): void {
  const { engine, openPage, releaseDigests, clock, log, knownCommits, deploymentReader } = parts
  const notesOf = createReleaseNotes(parts)
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)
  const admissionOf = async (db: Db, { organizationId, access }: Caller): Promise<Admission | undefined> => {
    const expect = () =>
      app.limits.admit('queuedDeployments', (most) =>
        withAllScopesVisibleForCaller(db, access, (tx) => countQueuedDeployments(tx, organizationId, most)),
      )
    if (access.hidden.size === 0) return { most: app.limits.mosts.queuedDeployments, expect }
    await expect() // the statement that stores a deployment does not see all queued deployments either
    return undefined
  }

  handle(app, routes.createDeployment, async ({ body, caller, request, db, afterwards }) => {
    const { moduleInstanceId, description, inputs = {} } = body.data
    const admission = await admissionOf(db, caller)
    const trigger = { ...triggerOf({ caller, request }, triggerSourceOf({ caller, request })), admission }
    const row = await acceptDeployment(db, trigger, { moduleInstanceId, description, inputs }, clock)
    afterwards(() => dispatch.soon(toDeployment(row.id)))
    return { data: serializeDeployment(row) }
  })

  handle(app, routes.listDeployments, async ({ query, caller, db }) => {
    const page = openPage(routes.listDeployments, caller, query)
    const found = await listDeployments(db, caller.organizationId, query, page)
    const whole = await deploymentReader.whole(db, found.rows)
    const reply = page.reply({ ...found, rows: whole }, serializeDeployment)
    const rows = whole.slice(0, reply.data.length)
    const included = await includedInEach(query, rows, {
      analysis: async () => analysesOf,
      source: () => sourcesOf(db, caller.organizationId, rows, knownCommits),
    })
    return { ...reply, ...included }
  })

  handle(app, routes.getDeployment, async ({ params, query, caller, db }) => {
    const { organizationId } = caller
    if (query.include === undefined) {
      const shown = (await deploymentReader.findShown(db, organizationId, params.id)) ?? notFound(params.id)
      return { data: serializeDeployment(shown) }
    }
    const row = (await deploymentReader.find(db, organizationId, params.id)) ?? notFound(params.id)
    const included = await includedIn(query, {
      analysis: async () => analysesOf(row),
      approval: () => approvalIn(db, caller, row, { releaseDigests, now: clock() }),
      decisions: () => decisionsAbout(db, organizationId, row.id),
      notes: () => notesOf(db, row),
      forecast: async () => forecastOf(row),
      policies: async () => row.data.policies ?? [],
      promotion: () => promotionOf(db, row, clock()),
      queue: () => queueOf(db, row, clock()),
      rollback: () => rollbackOf(db, row),
      source: async () => (await sourcesOf(db, organizationId, [row], knownCommits))(row),
    })
    return { data: serializeDeployment(row), ...included }
  })

  handle(app, routes.getDeploymentDifferences, async ({ params, query: { against }, caller, db }) => {
    const named = async (id: string) => (await deploymentReader.find(db, caller.organizationId, id)) ?? notFound(id)
    const row = await named(params.id)
    return { data: await compare(db, row, against === undefined ? undefined : await named(against), knownCommits) }
  })

  handle(app, routes.continueDeployment, async ({ params, body, caller, db, request }) => {
    const { hookId } = body.data
    const author = authorOf({ caller, request })
    const by = { author, action: 'deployments.continue', clock } as const
    const done = await decide<ContinueDecision>(db, by, params.id, (deployment) => {
      const decision = typeOf(deployment).continueAfterPause(deployment, { hookId, by: author.actorName }, clock())
      return decision.verdict === 'accepted'
        ? { outcome: decision, deployment: decision.deployment }
        : { outcome: decision }
    })
    const { row, outcome } = done ?? notFound(params.id)
    rejectUnlessContinued(outcome, row, hookId)
    if (outcome.verdict === 'accepted') dispatch.soon(toDeployment(row.id))
    return { data: serializeDeployment(row) }
  })

  handle(app, routes.redeployDeployment, async ({ params, caller, db, request, afterwards }) => {
    const source = (await findDeployment(db, caller.organizationId, params.id)) ?? notFound(params.id)
    const admission = await admissionOf(db, caller)
    const trigger = { ...triggerOf({ caller, request }, 'REDEPLOY'), admission }
    const row = await acceptRedeployment(db, trigger, source, clock)
    afterwards(() => dispatch.soon(toDeployment(row.id)))
    return { data: serializeDeployment(row) }
  })

  handle(app, routes.promoteDeployment, async ({ params, body, caller, db, request, afterwards }) => {
    const source = (await findDeployment(db, caller.organizationId, params.id)) ?? notFound(params.id)
    const admission = await admissionOf(db, caller)
    const trigger = { ...triggerOf({ caller, request }, triggerSourceOf({ caller, request })), admission }
    const { override, ...wish } = body.data
    if (override) {
      const input = { params, query: {}, body }
      await requireAdditionalPermission(app, routes.promoteDeployment, 'promotion-rules:override', {
        input,
        caller,
        db,
      })
    }
    const row = await acceptPromotion(db, trigger, source, { ...wish, overridden: override?.reason }, clock)
    afterwards(() => dispatch.soon(toDeployment(row.id)))
    return { data: serializeDeployment(row) }
  })

  handle(app, routes.rollbackDeployment, async ({ params, body, caller, db, request, afterwards }) => {
    const trigger = triggerOf({ caller, request }, 'ROLLBACK')
    const row = await acceptRollback(db, trigger, params.id, body.data?.toDeploymentId, clock)
    if (!row) return notFound(params.id)
    afterwards(() => {
      dispatch.soon(toDeployment(params.id)) // which may be rolling back now
      dispatch.soon(toDeployment(row.id))
    })
    return { data: serializeDeployment(row) }
  })

  handle(app, routes.cancelDeployment, async ({ params, body, caller, db, request }) => {
    const hookId = body.data?.hookId
    const author = authorOf({ caller, request })
    const done = await decide<CancelOutcome>(db, { author, action: 'deployments.cancel' }, params.id, (deployment) => {
      if (hookId !== undefined && !isFinal(deployment.status)) {
        const pending = waitingHooks(deployment)
        if (pending.length === 0) return { outcome: 'not-paused' }
        if (!pending.includes(hookId)) return { outcome: { pending } }
      }
      const next = typeOf(deployment).cancel(deployment, clock(), cancelledBy(author.actorName))
      if (!next) return { outcome: 'over' }
      return next === deployment ? { outcome: 'cancelled' } : { outcome: 'cancelled', deployment: next }
    })
    const { row, outcome } = done ?? notFound(params.id)
    if (outcome === 'not-paused') throw notPaused(row)
    if (typeof outcome === 'object') throw hookNotPending(row, hookId, outcome.pending)
    if (outcome === 'over') throw new ApiError('alreadyFinished', `The deployment ${row.id} has ended: ${row.status}.`)
    // Also for a queued deployment, because the next in the queue may be able to start.
    dispatch.soon(toDeployment(row.id))
    return { data: serializeDeployment(row) }
  })
}

function triggerOf(asking: CallerRequest, source: Trigger['source']): Trigger {
  const author = authorOf(asking)
  return { author, triggeredBy: author.actorName, triggeredById: author.actorId, source }
}

function notFound(id: string): never {
  throw missing('deploymentNotFound', 'deployment', id)
}

function rejectUnlessContinued(decision: ContinueDecision, row: DeploymentRow, hookId: string | undefined): void {
  if (decision.verdict === 'not-paused') throw notPaused(row)
  if (decision.verdict === 'hook-not-pending') throw hookNotPending(row, hookId, decision.pending)
}

/** Result of a cancel request; `pending` are the ids of waiting pauses if the request was for another one. */
type CancelOutcome = 'cancelled' | 'over' | 'not-paused' | { pending: string[] }

const notPaused = ({ id, status }: DeploymentRow) =>
  new ApiError('notPaused', `The deployment ${id} is ${status} and not paused.`)

const hookNotPending = ({ id }: DeploymentRow, hookId: string | undefined, pending: readonly string[]) =>
  new ApiError(
    'hookNotPending',
    `The deployment ${id} does not wait on ${hookId}; it waits on: ${pending.join(', ') || 'none'}.`,
  )

const analysesOf = ({ data }: DeploymentRow) => data.analysis ?? []
