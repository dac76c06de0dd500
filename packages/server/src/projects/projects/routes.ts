import { type Project, routes } from '@sluice/contract'
import { recordsOf } from '../../identity/audit-events/records.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { removeDefaultValuesOf } from '../default-values/store.ts'
import { findProject, insertProject, listProjects, lockProject, removeProject, updateProject } from './store.ts'
import type { ProjectRow } from './tables.ts'

export function serveProjects(app: App): void {
  handle(app, routes.createProject, async (call) => {
    const { body, caller } = call
    const project = await projectRecords.create(call, (tx) => insertProject(tx, caller.organizationId, body.data))
    app.callers.forget() // cached callers record which scopes are restricted and hidden
    return { data: serialize(project) }
  })

  handleList(app, routes.listProjects, unfiltered(listProjects), serialize)
  handleGet(app, routes.getProject, { find: findProject, notFound, toWire: serialize })

  handle(app, routes.updateProject, async (call) => {
    const { params, body, caller } = call
    const project = await projectRecords.update(call, (tx) =>
      updateProject(tx, caller.organizationId, params.id, body.data),
    )
    app.callers.forget() // cached callers record which scopes are restricted and hidden
    return { data: serialize(project) }
  })

  handle(app, routes.deleteProject, (call) => {
    const { params, caller } = call
    const { organizationId } = caller
    return projectRecords.remove(
      call,
      (tx) => lockProject(tx, organizationId, params.id),
      async (tx, project) => {
        const users = await app.findDependents('projects', tx, organizationId, project.id)
        if (users.length > 0) throw inUse('projectInUse', `project ${project.givenId}`, users)
        await removeDefaultValuesOf(tx, organizationId, project.id)
        await removeProject(tx, organizationId, project.id)
      },
    )
  })
}

const notFound = (id: string) => missing('projectNotFound', 'project', id)

const projectRecords = recordsOf({
  plural: 'projects',
  resourceType: 'project',
  place: 'projectId',
  givenIdIndex: 'projects_organization_given_id',
  givenIdTaken: (givenId) =>
    new ApiError('projectGivenIdTaken', `The organization already has a project ${givenId}. Choose another givenId.`),
  notFound,
})

const serialize = (row: ProjectRow): Project => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
  restricted: row.restricted,
  visibility: row.visibility,
})
