import { type Pipeline, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { refuseTaken } from '../../platform/http/taken.ts'
import { holdProject } from '../../projects/projects/store.ts'
import {
  findPipeline,
  insertPipeline,
  type LatestRun,
  latestRunsOf,
  listPipelines,
  lockPipeline,
  removePipeline,
  updatePipeline,
  usersOfPipeline,
} from './store.ts'
import type { PipelineRow } from './tables.ts'

const resourceType = 'pipeline'

export function servePipelines(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.createPipeline, ({ body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        await refuseUnlessProject(tx, caller.organizationId, data.projectId)
        const pipeline = await insertPipeline(tx, caller.organizationId, data)
        const change = { action: 'pipelines.create', resourceType, resourceId: pipeline.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(pipeline) }
      }),
    ),
  )

  handle(app, routes.listPipelines, async ({ query, caller, db }) => {
    const page = openPage(routes.listPipelines, caller, query)
    const found = await listPipelines(db, caller.organizationId, query, page)
    const ids = found.rows.map(({ id }) => id)
    const latest = await latestRunsOf(db, caller.organizationId, ids)
    return page.reply(found, (row) => toWire(row, latest.get(row.id)))
  })

  handle(app, routes.getPipeline, async ({ params, caller, db }) => {
    const pipeline = await findPipeline(db, caller.organizationId, params.id)
    if (!pipeline) throw notFound(params.id)
    return { data: await withLatestRun(db, pipeline) }
  })

  handle(app, routes.updatePipeline, ({ params, body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        if (!(await lockPipeline(tx, organizationId, params.id))) throw notFound(params.id)
        if (data.projectId !== undefined) await refuseUnlessProject(tx, organizationId, data.projectId)
        const pipeline = await updatePipeline(tx, organizationId, params.id, data)
        if (!pipeline) throw notFound(params.id)
        const change = { action: 'pipelines.update', resourceType, resourceId: pipeline.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: await withLatestRun(tx, pipeline) }
      }),
    ),
  )

  handle(app, routes.deletePipeline, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const pipeline = await lockPipeline(tx, caller.organizationId, params.id)
      if (!pipeline) throw notFound(params.id)
      const users = await usersOfPipeline(tx, caller.organizationId, pipeline.id)
      if (users.length > 0) throw inUse('pipelineInUse', `pipeline ${pipeline.givenId}`, users)
      await removePipeline(tx, caller.organizationId, pipeline.id)
      const change = { action: 'pipelines.delete', resourceType, resourceId: pipeline.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

async function withLatestRun(db: Db, pipeline: PipelineRow): Promise<Pipeline> {
  const latest = await latestRunsOf(db, pipeline.organizationId, [pipeline.id])
  return toWire(pipeline, latest.get(pipeline.id))
}

async function refuseUnlessProject(tx: Db, organizationId: string, projectId: string): Promise<void> {
  if (!(await holdProject(tx, organizationId, projectId))) throw referenceNotFound('projectId', 'project', projectId)
}

const givenIdIndex = 'pipelines_project_given_id'

const givenIdTaken = (givenId: string | undefined) => () =>
  new Refusal(
    'pipelineGivenIdTaken',
    givenId === undefined
      ? 'The project has a pipeline with the same givenId already; send another with the projectId.'
      : `There is another pipeline ${givenId} in this project; choose another givenId.`,
  )

const notFound = (id: string) => missing('pipelineNotFound', 'pipeline', id)

const toWire = (row: PipelineRow, latestRun?: LatestRun): Pipeline => ({
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
