import { type Project, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { FindUsers } from '../../platform/db/users.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { refuseTaken } from '../../platform/http/taken.ts'
import { removeDefaultValuesOf } from '../default-values/store.ts'
import { findProject, insertProject, listProjects, lockProject, removeProject, updateProject } from './store.ts'
import type { ProjectRow } from './tables.ts'

const resourceType = 'project'

type Parts = { openPage: OpenPage; usersOfProject: FindUsers }

export function serveProjects(app: App, { openPage, usersOfProject }: Parts): void {
  handle(app, routes.createProject, ({ body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const project = await insertProject(tx, caller.organizationId, data)
        const change = { action: 'projects.create', resourceType, resourceId: project.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(project) }
      }),
    ),
  )

  handle(app, routes.listProjects, async ({ query, caller, db }) => {
    const page = openPage(routes.listProjects, caller, query)
    return page.reply(await listProjects(db, caller.organizationId, page), toWire)
  })

  handle(app, routes.getProject, async ({ params, caller, db }) => {
    const project = await findProject(db, caller.organizationId, params.id)
    if (!project) throw notFound(params.id)
    return { data: toWire(project) }
  })

  handle(app, routes.updateProject, ({ params, body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const project = await updateProject(tx, caller.organizationId, params.id, data)
        if (!project) throw notFound(params.id)
        const change = { action: 'projects.update', resourceType, resourceId: project.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(project) }
      }),
    ),
  )

  handle(app, routes.deleteProject, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const project = await lockProject(tx, caller.organizationId, params.id)
      if (!project) throw notFound(params.id)
      const users = await usersOfProject(tx, caller.organizationId, project.id)
      if (users.length > 0) throw inUse('projectInUse', `project ${project.givenId}`, users)
      await removeDefaultValuesOf(tx, caller.organizationId, project.id)
      await removeProject(tx, caller.organizationId, project.id)
      await recordChange(tx, { caller, request }, { action: 'projects.delete', resourceType, resourceId: project.id })
    }),
  )
}

const givenIdIndex = 'projects_organization_given_id'

const givenIdTaken = (givenId: string | undefined) => () =>
  new Refusal(
    'projectGivenIdTaken',
    `There is another project ${givenId} in this organization; choose another givenId.`,
  )

const notFound = (id: string) => missing('projectNotFound', 'project', id)

const toWire = (row: ProjectRow): Project => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
})
