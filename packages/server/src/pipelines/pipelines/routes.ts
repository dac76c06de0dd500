import { type Pipeline, routes } from '@sluice/contract'
import { recordsOf } from '../../identity/audit-events/records.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet } from '../../platform/http/handle.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { lockProjectShared } from '../../projects/projects/store.ts'
import {
  findPipeline,
  insertPipeline,
  type LatestRun,
  latestRunsOf,
  listPipelines,
  lockPipeline,
  removePipeline,
  updatePipeline,
} from './store.ts'
import type { PipelineRow } from './tables.ts'

export function servePipelines(app: App): void {
  handle(app, routes.createPipeline, async (call) => {
    const { body, caller } = call
    const pipeline = await pipelineRecords.create(call, async (tx) => {
      await rejectUnlessProject(tx, caller.organizationId, body.data.projectId)
      return insertPipeline(tx, caller.organizationId, body.data)
    })
    return { data: serialize(pipeline) }
  })

  handle(app, routes.listPipelines, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listPipelines, caller, query)
    const found = await listPipelines(db, caller.organizationId, query, page)
    const ids = found.rows.map(({ id }) => id)
    const latest = await latestRunsOf(db, caller.organizationId, ids)
    return page.reply(found, (row) => serialize(row, latest.get(row.id)))
  })

  const toLatest = (row: PipelineRow, { db }: { db: Db }) => withLatestRun(db, row)
  handleGet(app, routes.getPipeline, { find: findPipeline, notFound, toWire: toLatest })

  handle(app, routes.updatePipeline, async (call) => {
    const { params, body, caller, db } = call
    const pipeline = await pipelineRecords.update(call, async (tx) => {
      const { organizationId } = caller
      if (!(await lockPipeline(tx, organizationId, params.id))) return undefined
      if (body.data.projectId !== undefined) await rejectUnlessProject(tx, organizationId, body.data.projectId)
      return updatePipeline(tx, organizationId, params.id, body.data)
    })
    return { data: await withLatestRun(db, pipeline) }
  })

  handle(app, routes.deletePipeline, (call) => {
    const { params, caller } = call
    const { organizationId } = caller
    return pipelineRecords.remove(
      call,
      (tx) => lockPipeline(tx, organizationId, params.id),
      async (tx, pipeline) => {
        const users = await app.findDependents('pipelines', tx, organizationId, pipeline.id)
        if (users.length > 0) throw inUse('pipelineInUse', `pipeline ${pipeline.givenId}`, users)
        await removePipeline(tx, organizationId, pipeline.id)
      },
    )
  })
}

async function withLatestRun(db: Db, pipeline: PipelineRow): Promise<Pipeline> {
  const latest = await latestRunsOf(db, pipeline.organizationId, [pipeline.id])
  return serialize(pipeline, latest.get(pipeline.id))
}

async function rejectUnlessProject(tx: Db, organizationId: string, projectId: string): Promise<void> {
  if (!(await lockProjectShared(tx, organizationId, projectId)))
    throw referenceNotFound('projectId', 'project', projectId)
}

const notFound = (id: string) => missing('pipelineNotFound', 'pipeline', id)

const pipelineRecords = recordsOf({
  plural: 'pipelines',
  resourceType: 'pipeline',
  givenIdIndex: 'pipelines_project_given_id',
  givenIdTaken: (givenId) =>
    new ApiError(
      'pipelineGivenIdTaken',
      givenId === undefined
        ? 'The project has a pipeline with the same givenId already; send another with the projectId.'
        : `There is another pipeline ${givenId} in this project; choose another givenId.`,
    ),
  notFound,
})

const serialize = (row: PipelineRow, latestRun?: LatestRun): Pipeline => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
  ...(latestRun && { latestRunId: latestRun.id, latestRunStatus: latestRun.status }),
})
