import { failures, type PipelineRun, routes } from '@sluice/contract'
import { recordChange } from '../audit-events/record.ts'
import { findLatestPipelineVersion, findPipelineVersion } from '../pipeline-versions/store.ts'
import { holdPipeline } from '../pipelines/store.ts'
import type { PipelineRow, PipelineRunRow, PipelineVersionRow } from '../pipelines/tables.ts'
import { nameOf } from '../platform/auth/caller.ts'
import type { Db } from '../platform/db/open.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { referenceNotFound } from '../platform/http/references.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { newId } from '../platform/ids.ts'
import { present } from '../platform/present.ts'
import { plannedSteps } from './plan.ts'
import {
  cancelPipelineRun,
  findPipelineRun,
  insertPipelineRun,
  listPipelineRuns,
  type NewPipelineRun,
} from './store.ts'

const resourceType = 'pipeline-run'

type Parts = { openPage: OpenPage; clock: () => Date }

export function servePipelineRuns(app: App, { openPage, clock }: Parts): void {
  handle(app, routes.createPipelineRun, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { pipelineId, pipelineVersionId, description, inputs = {} } = data
      const pipeline = await holdPipeline(tx, organizationId, pipelineId)
      if (!pipeline) throw referenceNotFound('pipelineId', 'pipeline', pipelineId)
      const version = await versionToRun(tx, pipeline, pipelineVersionId)
      const run: NewPipelineRun = {
        id: newId('run'),
        organizationId,
        pipelineId,
        pipelineVersionId: version.id,
        description,
        inputs,
        status: 'QUEUED',
        triggerSource: 'API',
        triggeredBy: nameOf(caller),
      }
      const created = await insertPipelineRun(tx, run, plannedSteps({ id: run.id, organizationId }, version))
      const change = { action: 'pipeline-runs.create', resourceType, resourceId: created.id }
      // Inputs may hold secrets: of them, only the names are written down.
      const details = { ...data, inputs: Object.keys(inputs) }
      await recordChange(tx, { caller, request }, { ...change, details })
      return { data: toWire(created) }
    }),
  )

  handle(app, routes.listPipelineRuns, async ({ query, caller, db }) => {
    const page = openPage(routes.listPipelineRuns, caller, query)
    return page.reply(await listPipelineRuns(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getPipelineRun, async ({ params, caller, db }) => {
    const run = await findPipelineRun(db, caller.organizationId, params.id)
    if (!run) throw notFound(params.id)
    return { data: toWire(run) }
  })

  handle(app, routes.cancelPipelineRun, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const error = { code: failures.runCancelled.code, message: `${nameOf(caller)} cancelled the run.` }
      const cancelled = await cancelPipelineRun(tx, organizationId, params.id, error, clock())
      if (!cancelled) {
        const run = await findPipelineRun(tx, organizationId, params.id)
        if (!run) throw notFound(params.id)
        throw new Refusal('pipelineRunOver', `The pipeline run ${run.id} is over: ${run.status}.`)
      }
      const change = { action: 'pipeline-runs.cancel', resourceType, resourceId: cancelled.id }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire(cancelled) }
    }),
  )
}

/** The version that is named, or the latest one. */
async function versionToRun(tx: Db, pipeline: PipelineRow, named: string | undefined): Promise<PipelineVersionRow> {
  const { organizationId, id, givenId } = pipeline
  if (named === undefined) {
    const latest = await findLatestPipelineVersion(tx, organizationId, id)
    if (!latest) throw new Refusal('pipelineHasNoVersion', `The pipeline ${givenId} has no version yet; create one.`)
    return latest
  }
  const version = await findPipelineVersion(tx, organizationId, named)
  if (!version) throw referenceNotFound('pipelineVersionId', 'pipeline version', named)
  if (version.pipelineId === id) return version
  throw new Refusal('pipelineVersionMismatch', `The pipeline version ${named} is not one of the pipeline ${givenId}.`)
}

const notFound = (id: string) =>
  new Refusal('pipelineRunNotFound', `There is no pipeline run ${id} in this organization.`)

const toWire = (row: PipelineRunRow): PipelineRun =>
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
