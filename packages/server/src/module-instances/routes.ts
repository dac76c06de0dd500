import { type ModuleInstance, routes } from '@sluice/contract'
import type { Db } from '../platform/db/open.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { findModuleInstance, listModuleInstances } from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'

export function serveModuleInstances(app: App, { db, openPage }: { db: Db; openPage: OpenPage }): void {
  handle(app, routes.listModuleInstances, async ({ query, caller }) => {
    const page = openPage(routes.listModuleInstances, caller, query)
    return page.reply(await listModuleInstances(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getModuleInstance, async ({ params, caller }) => {
    const instance = await findModuleInstance(db, caller.organizationId, params.id)
    if (!instance) {
      throw new Refusal('moduleInstanceNotFound', `There is no module instance ${params.id} in this organization.`)
    }
    return { data: toWire(instance) }
  })
}

const toWire = (row: ModuleInstanceRow): ModuleInstance => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  environmentId: row.environmentId,
  moduleDefinitionId: row.moduleDefinitionId,
  moduleVersionId: row.moduleVersionId,
  givenId: row.givenId,
  name: row.name,
  type: row.type,
  status: row.status,
  input: row.input,
  ...(row.description !== null && { description: row.description }),
  ...(row.error !== null && { error: row.error }),
  ...(row.stackId !== null && { stackId: row.stackId }),
})
