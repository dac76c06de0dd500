import { routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { findProject, lockProject } from '../projects/store.ts'
import { readOrder, saveOrder } from './store.ts'

export function serveEnvironmentOrder(app: App): void {
  handle(app, routes.getEnvironmentOrder, async ({ params, caller: { organizationId }, db }) => {
    if (!(await findProject(db, organizationId, params.id))) throw notFound(params.id)
    return { data: { order: await readOrder(db, organizationId, params.id) } }
  })

  handle(app, routes.updateEnvironmentOrder, (call) => {
    const { params, body, caller, db } = call
    const { organizationId } = caller
    const { order } = body.data
    return db.transaction(async (tx) => {
      // Locks the project, so that one of two concurrent orders is stored completely.
      if (!(await lockProject(tx, organizationId, params.id))) throw notFound(params.id)
      const before = await readOrder(tx, organizationId, params.id)
      const stranger = order.find((id) => !before.includes(id))
      if (stranger !== undefined) throw referenceNotFound('order', 'environment of this project', stranger)
      await saveOrder(tx, organizationId, params.id, order)
      const change = { action: 'projects.order-environments', resourceType: 'project', resourceId: params.id }
      await recordChange(tx, call, {
        ...change,
        of: { projectId: params.id },
        details: { order },
        before: { order: before },
      })
      return { data: { order: await readOrder(tx, organizationId, params.id) } }
    })
  })
}

const notFound = (id: string) => missing('projectNotFound', 'project', id)
