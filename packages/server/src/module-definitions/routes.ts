import { type ModuleDefinition, routes } from '@sluice/contract'
import type { Db } from '../platform/db/open.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { findModuleDefinition, listModuleDefinitions, type ModuleDefinitionRow } from './store.ts'

export function serveModuleDefinitions(app: App, { db, openPage }: { db: Db; openPage: OpenPage }): void {
  handle(app, routes.listModuleDefinitions, async ({ query, caller }) => {
    const page = openPage(routes.listModuleDefinitions, caller, query)
    return page.reply(
      await listModuleDefinitions(db, caller.organizationId, query, page),
      toWireFor(caller.organizationId),
    )
  })

  handle(app, routes.getModuleDefinition, async ({ params, caller }) => {
    const definition = await findModuleDefinition(db, caller.organizationId, params.id)
    if (!definition) {
      throw new Refusal('moduleDefinitionNotFound', `This organization sees no module definition ${params.id}.`)
    }
    return { data: toWireFor(caller.organizationId)(definition) }
  })
}

/** A definition that another organization published to everyone is shown without telling which one that is. */
const toWireFor =
  (organizationId: string) =>
  (row: ModuleDefinitionRow): ModuleDefinition => ({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.organizationId === organizationId && { organizationId }),
    name: row.name,
    description: row.description,
    status: row.status,
    type: row.type,
    ...(row.latestVersion !== null && { latestVersion: row.latestVersion }),
    ...(row.latestVersionId !== null && { latestVersionId: row.latestVersionId }),
  })
