import { type Environment, routes } from '@sluice/contract'
import { recordsOf } from '../../identity/audit-events/records.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { removeDefaultValuesOf } from '../default-values/store.ts'
import { lockProjectShared } from '../projects/store.ts'
import type { EnvironmentRow } from '../projects/tables.ts'
import {
  findEnvironment,
  insertEnvironment,
  listEnvironments,
  lockEnvironment,
  removeEnvironment,
  updateEnvironment,
} from './store.ts'

type Parts = {
  /** Deletes the history of an unused environment. Provided by a higher layer. */
  removeHistoryOfEnvironment: (tx: Db, organizationId: string, id: string) => Promise<void>
}

export function serveEnvironments(app: App, parts: Parts): void {
  const { removeHistoryOfEnvironment } = parts

  handle(app, routes.createEnvironment, async (call) => {
    const { body, caller } = call
    const environment = await environmentRecords.create(call, async (tx) => {
      const { projectId } = body.data
      if (!(await lockProjectShared(tx, caller.organizationId, projectId))) {
        throw referenceNotFound('projectId', 'project', projectId)
      }
      return insertEnvironment(tx, caller.organizationId, body.data)
    })
    app.callers.forget() // cached callers contain which scopes are restricted and hidden
    return { data: serialize(environment) }
  })

  handleList(app, routes.listEnvironments, listEnvironments, serialize)
  handleGet(app, routes.getEnvironment, { find: findEnvironment, notFound, toWire: serialize })

  handle(app, routes.updateEnvironment, async (call) => {
    const { params, body, caller } = call
    const environment = await environmentRecords.update(call, (tx) =>
      updateEnvironment(tx, caller.organizationId, params.id, body.data),
    )
    app.callers.forget() // cached callers contain which scopes are restricted and hidden
    return { data: serialize(environment) }
  })

  handle(app, routes.deleteEnvironment, (call) => {
    const { params, caller } = call
    const { organizationId } = caller
    return environmentRecords.remove(
      call,
      (tx) => lockEnvironment(tx, organizationId, params.id),
      async (tx, environment) => {
        const users = await app.findDependents('environments', tx, organizationId, environment.id)
        if (users.length > 0) throw inUse('environmentInUse', `environment ${environment.givenId}`, users)
        await removeDefaultValuesOf(tx, organizationId, environment.id)
        await removeHistoryOfEnvironment(tx, organizationId, environment.id)
        await removeEnvironment(tx, organizationId, environment.id)
      },
    )
  })
}

const notFound = (id: string) => missing('environmentNotFound', 'environment', id)

const environmentRecords = recordsOf({
  plural: 'environments',
  resourceType: 'environment',
  place: 'environmentId',
  givenIdIndex: 'environments_project_given_id',
  givenIdTaken: (givenId) =>
    new ApiError(
      'environmentGivenIdTaken',
      `The project already has an environment ${givenId}. Choose another givenId.`,
    ),
  notFound,
})

const serialize = (row: EnvironmentRow): Environment => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
  restricted: row.restricted,
  visibility: row.visibility,
  ...(row.previewEnvironmentId !== null && { previewEnvironmentId: row.previewEnvironmentId }),
})
