import { failures, type PipelineRun, type RunRetries, routes } from '@sluice/contract'
import { authorOf } from '../../identity/audit-events/author.ts'
import { decisionsAbout } from '../../identity/audit-events/decisions.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisibleForCaller } from '../../platform/db/organization.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { triggerSourceOf } from '../../platform/http/channel.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn, includedInEach } from '../../platform/http/include.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { requireAdditionalPermission } from '../../platform/http/rights.ts'
import { present } from '../../platform/present.ts'
import { listStepNames } from '../pipeline-step-executions/store.ts'
import { findPipelineVersion } from '../pipeline-versions/store.ts'
import { lockPipelineShared } from '../pipelines/store.ts'
import type { PipelineRow, PipelineRunRow, PipelineVersionRow } from '../pipelines/tables.ts'
import { admitRun } from './admit.ts'
import { advanceRun, type PassParts } from './advance.ts'
import { requestCancel } from './machine.ts'
import { messagesOf } from './recipients.ts'
import { type RetryOfInstance, rejectConcurrentRetry, retryRun } from './retry.ts'
import { startRun } from './start.ts'
import { findPipelineRun, findRetryOf, listPipelineRuns } from './store.ts'

const resourceType = 'pipeline-run'

type Parts = Omit<PassParts, 'db'> & { retryOfInstance: RetryOfInstance }

export function servePipelineRuns(app: App, parts: Parts): void {
  const { clock, retryOfInstance } = parts
  const tell = (of: Parameters<typeof messagesOf>[0]) => app.sendMessages(messagesOf(of))

  handle(app, routes.createPipelineRun, ({ body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { pipelineId, pipelineVersionId, description, inputs = {} } = data
      const pipeline = await lockPipelineShared(tx, organizationId, pipelineId)
      if (!pipeline) throw referenceNotFound('pipelineId', 'pipeline', pipelineId)
      await withAllScopesVisibleForCaller(tx, caller.access, (all) => admitRun(app.limits, all, organizationId))
      const created = await startRun(
        tx,
        {
          organizationId,
          pipeline,
          version: await versionNamed(tx, pipeline, pipelineVersionId),
          inputs,
          description,
          trigger: { kind: 'manual' },
          author: authorOf({ caller, request }),
          triggerSource: triggerSourceOf({ caller, request }),
          triggeredBy: nameOf(caller),
        },
        clock(),
      )
      afterwards(() => tell({ runs: [created.id, ...created.superseded] }))
      return { data: serialize(created) }
    }),
  )

  handle(app, routes.listPipelineRuns, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listPipelineRuns, caller, query)
    const found = await listPipelineRuns(db, caller.organizationId, query, page)
    const reply = page.reply(found, serialize)
    const rows = found.rows.slice(0, reply.data.length)
    const included = await includedInEach(query, rows, { number: async () => (run: PipelineRunRow) => run.number })
    return { ...reply, ...included }
  })

  handle(app, routes.getPipelineRun, async ({ params, query, caller: { organizationId }, db }) => {
    const run = await findPipelineRun(db, organizationId, params.id)
    if (!run) throw notFound(params.id)
    const included = await includedIn(query, {
      decisions: async () =>
        decisionsAbout(db, organizationId, run.id, await listStepNames(db, organizationId, run.id)),
      number: async () => run.number,
      retries: () => retriesOf(db, run),
    })
    return { data: serialize(run), ...included }
  })

  handle(app, routes.cancelPipelineRun, ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const error = { code: failures.runCancelled.code, message: `${nameOf(caller)} cancelled the run.` }
      const change = (run: PipelineRunRow, now: Date) =>
        requestCancel(run, { by: nameOf(caller), at: now.toISOString(), error })
      const looked = await advanceRun({ ...parts, db: tx }, params.id, '', { change, organizationId })
      if (!looked) throw notFound(params.id)
      const { run, wasOver, told } = looked
      if (wasOver) throw new ApiError('pipelineRunOver', `The pipeline run ${run.id} has ended: ${run.status}.`)
      await recordChange(tx, { caller, request }, { action: 'pipeline-runs.cancel', resourceType, resourceId: run.id })
      // Includes the run itself, which continues until its active steps have stopped.
      afterwards(() => tell({ ...told, runs: [run.id, ...told.runs] }))
      return { data: serialize(run) }
    }),
  )

  handle(app, routes.retryPipelineRun, async ({ params, body, caller, db, request, afterwards }) => {
    const { organizationId } = caller
    const { skip, reason } = body.data ?? {}
    if (skip) {
      const input = { params, query: {}, body }
      await requireAdditionalPermission(app, routes.retryPipelineRun, 'pipeline-runs:skip', { input, caller, db })
    }
    const [author, triggerSource] = [authorOf({ caller, request }), triggerSourceOf({ caller, request })]
    const wish = { author, triggerSource, triggeredBy: nameOf(caller), skip, reason }
    return rejectConcurrentRetry(db, organizationId, params.id, () =>
      db.transaction(async (tx) => {
        await withAllScopesVisibleForCaller(tx, caller.access, (all) => admitRun(app.limits, all, organizationId))
        const how = { ofInstance: retryOfInstance, now: clock() }
        const { superseded, ...retry } = await retryRun(tx, organizationId, params.id, wish, how)
        afterwards(() => tell({ runs: [retry.id, ...superseded] }))
        return { data: serialize(retry) }
      }),
    )
  })
}

async function retriesOf(db: Db, { organizationId, id, retryOf }: PipelineRunRow): Promise<RunRetries> {
  const before = retryOf === null ? undefined : await findPipelineRun(db, organizationId, retryOf)
  const after = await findRetryOf(db, organizationId, id)
  const named = (run: { id: string; number: number } | undefined) => run && { id: run.id, number: run.number }
  return present({ retryOf: named(before), retriedBy: named(after) })
}

/** Returns the version that the request names, if any. */
async function versionNamed(
  tx: Db,
  { organizationId, id, givenId }: PipelineRow,
  named: string | undefined,
): Promise<PipelineVersionRow | undefined> {
  if (named === undefined) return undefined
  const version = await findPipelineVersion(tx, organizationId, named)
  if (!version) throw referenceNotFound('pipelineVersionId', 'pipeline version', named)
  if (version.pipelineId === id) return version
  throw new ApiError(
    'pipelineVersionMismatch',
    `The pipeline version ${named} does not belong to the pipeline ${givenId}.`,
  )
}

const notFound = (id: string) => missing('pipelineRunNotFound', 'pipeline run', id)

const serialize = (row: PipelineRunRow): PipelineRun =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    pipelineId: row.pipelineId,
    pipelineVersionId: row.pipelineVersionId,
    description: row.description ?? undefined,
    inputs: row.inputs,
    status: row.status,
    triggerSource: row.triggerSource,
    triggeredBy: row.triggeredBy,
    startedAt: row.startedAt?.toISOString(),
    completedAt: row.completedAt?.toISOString(),
    error: row.error ?? undefined,
  })
