import { type Environment, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { FindUsers } from '../../platform/db/users.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { refuseTaken } from '../../platform/http/taken.ts'
import { removeDefaultValuesOf } from '../default-values/store.ts'
import { holdProject } from '../projects/store.ts'
import type { EnvironmentRow } from '../projects/tables.ts'
import {
  findEnvironment,
  insertEnvironment,
  listEnvironments,
  lockEnvironment,
  removeEnvironment,
  updateEnvironment,
} from './store.ts'

const resourceType = 'environment'

type Parts = {
  openPage: OpenPage
  usersOfEnvironment: FindUsers
  /** Removes what an environment that nothing uses any more has left: it stands above projects. */
  removeHistoryOfEnvironment: (tx: Db, organizationId: string, id: string) => Promise<void>
}

export function serveEnvironments(app: App, parts: Parts): void {
  const { openPage, usersOfEnvironment, removeHistoryOfEnvironment } = parts

  handle(app, routes.createEnvironment, ({ body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const { projectId } = data
        if (!(await holdProject(tx, caller.organizationId, projectId))) {
          throw referenceNotFound('projectId', 'project', projectId)
        }
        const environment = await insertEnvironment(tx, caller.organizationId, data)
        const change = { action: 'environments.create', resourceType, resourceId: environment.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(environment) }
      }),
    ),
  )

  handle(app, routes.listEnvironments, async ({ query, caller, db }) => {
    const page = openPage(routes.listEnvironments, caller, query)
    return page.reply(await listEnvironments(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getEnvironment, async ({ params, caller, db }) => {
    const environment = await findEnvironment(db, caller.organizationId, params.id)
    if (!environment) throw notFound(params.id)
    return { data: toWire(environment) }
  })

  handle(app, routes.updateEnvironment, ({ params, body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const environment = await updateEnvironment(tx, caller.organizationId, params.id, data)
        if (!environment) throw notFound(params.id)
        const change = { action: 'environments.update', resourceType, resourceId: environment.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(environment) }
      }),
    ),
  )

  handle(app, routes.deleteEnvironment, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const environment = await lockEnvironment(tx, caller.organizationId, params.id)
      if (!environment) throw notFound(params.id)
      const users = await usersOfEnvironment(tx, caller.organizationId, environment.id)
      if (users.length > 0) throw inUse('environmentInUse', `environment ${environment.givenId}`, users)
      await removeDefaultValuesOf(tx, caller.organizationId, environment.id)
      await removeHistoryOfEnvironment(tx, caller.organizationId, environment.id)
      await removeEnvironment(tx, caller.organizationId, environment.id)
      const change = { action: 'environments.delete', resourceType, resourceId: environment.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const givenIdIndex = 'environments_project_given_id'

const givenIdTaken = (givenId: string | undefined) => () =>
  new Refusal(
    'environmentGivenIdTaken',
    `There is another environment ${givenId} in this project; choose another givenId.`,
  )

const notFound = (id: string) => missing('environmentNotFound', 'environment', id)

const toWire = (row: EnvironmentRow): Environment => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
})
