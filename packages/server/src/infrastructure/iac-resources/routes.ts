import {
  type IacChangeReasons,
  type IacChangeSummary,
  type IacExecutionSummary,
  type IacResource,
  type IacRunReference,
  iacChangeTypes,
  routes,
} from '@sluice/contract'
import { findPipelineRun } from '../../pipelines/pipeline-runs/store.ts'
import { findPipeline } from '../../pipelines/pipelines/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn, includedInEach } from '../../platform/http/include.ts'
import { requestInvalid } from '../../platform/http/input.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import {
  type ChangeCount,
  countChanges,
  findIacResource,
  findResourceHistory,
  listIacExecutions,
  listIacResources,
  type ResourceHistory,
  type ResourceInRun,
  type RunRange,
} from './store.ts'
import type { IacResourceRow } from './tables.ts'

export function serveIacResources(app: App): void {
  handle(app, routes.listIacResources, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listIacResources, caller, query)
    const found = await listIacResources(db, caller.organizationId, query, page)
    const reply = page.reply(found, toWire)
    const rows = found.rows.slice(0, reply.data.length)
    const included = await includedInEach(query, rows, { 'change-reasons': async () => changeReasonsOf })
    return { ...reply, ...included }
  })

  handle(app, routes.getIacResource, async ({ params, query, caller, db }) => {
    const resource = await findIacResource(db, caller.organizationId, params.id)
    if (!resource) {
      throw missing('iacResourceNotFound', 'resource', params.id)
    }
    const included = await includedIn(query, { 'change-reasons': async () => changeReasonsOf(resource) })
    return { data: toWire(resource), ...included }
  })

  handle(app, routes.getIacResourceChangeSummary, async ({ params: { address }, query, caller, db }) => {
    const { organizationId } = caller
    await rejectUnlessRange(db, organizationId, query)
    const history = await findResourceHistory(db, organizationId, address, query)
    if (!history) {
      const message = `No run in this range of the pipeline ${query.pipelineId} has changed a resource at ${address}.`
      throw new ApiError('iacResourceNotFound', message)
    }
    const included = await includedIn(query, { 'change-reasons': async () => changeReasonsOfRuns(history) })
    return { data: summaryOf(history), ...included }
  })

  handle(app, routes.listIacExecutionSummaries, async ({ query, caller, db }) => {
    const { organizationId } = caller
    const page = app.openPage(routes.listIacExecutionSummaries, caller, query)
    const found = await listIacExecutions(db, organizationId, query, page)
    const ids = found.rows.map(({ id }) => id)
    const counts = Map.groupBy(await countChanges(db, organizationId, ids), ({ pipelineRunId }) => pipelineRunId)
    return page.reply(found, ({ id }) => executionSummary(id, counts.get(id) ?? []))
  })
}

/** Rejects a missing pipeline, runs of other pipelines, and a range that ends before it starts. */
async function rejectUnlessRange(db: Db, organizationId: string, range: RunRange): Promise<void> {
  const { pipelineId, startRunId, endRunId } = range
  if (!(await findPipeline(db, organizationId, pipelineId))) {
    throw missing('pipelineNotFound', 'pipeline', pipelineId)
  }
  for (const id of [startRunId, endRunId]) {
    if (id === undefined) continue
    const run = await findPipelineRun(db, organizationId, id)
    if (run?.pipelineId !== pipelineId) {
      throw new ApiError('pipelineRunNotFound', `The pipeline ${pipelineId} has no run ${id}.`)
    }
  }
  if (startRunId !== undefined && endRunId !== undefined && startRunId > endRunId) {
    const items = ['$.startRunId: expected a run that is not after the one of endRunId']
    throw requestInvalid(listed('Query', items))
  }
}

const summaryOf = ({ from, to, runsInRange }: ResourceHistory): IacChangeSummary =>
  present({
    pipelineId: to.resource.pipelineId,
    ...identityOf(to.resource),
    fromRun: referenceTo(from),
    toRun: referenceTo(to),
    runsInRange,
  })

const changeReasonsOfRuns = ({ from, to }: ResourceHistory) => ({
  fromRun: changeReasonsOf(from.resource),
  toRun: changeReasonsOf(to.resource),
})

const changeReasonsOf = ({ changeReasons }: IacResourceRow): IacChangeReasons => changeReasons ?? { reasons: [] }

const referenceTo = ({ resource, run }: ResourceInRun): IacRunReference =>
  present({
    id: run.id,
    changeType: resource.changeType,
    description: run.description ?? undefined,
    failed: run.status === 'ERROR' || resource.error !== null,
    startedAt: run.startedAt?.toISOString(),
  })

function executionSummary(pipelineRunId: string, counts: ChangeCount[]): IacExecutionSummary {
  const none = Object.fromEntries(iacChangeTypes.map((type) => [type, 0])) as IacExecutionSummary['changeCounts']
  return {
    pipelineRunId,
    totalCount: counts.reduce((sum, { count }) => sum + count, 0),
    failedCount: counts.reduce((sum, { failed }) => sum + failed, 0),
    changeCounts: { ...none, ...Object.fromEntries(counts.map(({ changeType, count }) => [changeType, count])) },
  }
}

const identityOf = (row: IacResourceRow) =>
  present({
    address: row.address,
    provider: row.provider,
    resourceName: row.resourceName,
    resourceType: row.resourceType,
    indexKey: row.indexKey ?? undefined,
    moduleAddress: row.moduleAddress ?? undefined,
  })

const toWire = (row: IacResourceRow): IacResource =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    pipelineRunId: row.pipelineRunId,
    stepExecutionId: row.stepExecutionId,
    stackId: row.stackId,
    ...identityOf(row),
    changeType: row.changeType,
    runType: row.runType,
    driftStatus: row.driftStatus,
    isInCurrentState: row.isInCurrentState,
    tainted: row.tainted,
    vendor: row.vendor,
    vendorData: row.vendorData,
    error: row.error ?? undefined,
  })
