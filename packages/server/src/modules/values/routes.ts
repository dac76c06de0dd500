import { routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { cloudAccountOptions, executionEnvironmentOptions } from './store.ts'
import { instanceTypesFor, regions, taskSizesFor, versionsOf } from './tables.ts'

/** Serves what a form offers for an input whose config says `$values:…`. */
export function serveValues(app: App): void {
  handle(app, routes.listCloudAccountValues, async ({ caller, db }) => ({
    data: await cloudAccountOptions(db, caller.organizationId),
  }))
  handle(app, routes.listExecutionEnvironmentValues, async ({ query, caller, db }) => ({
    data: await executionEnvironmentOptions(db, caller.organizationId, query),
  }))
  handle(app, routes.listRegionValues, async () => ({ data: regions }))
  handle(app, routes.listToolVersionValues, async () => ({ data: versionsOf('iac') }))
  handle(app, routes.listAlternativeToolVersionValues, async () => ({ data: versionsOf('iac_alt') }))
  handle(app, routes.listInstanceTypeValues, async ({ query }) => ({ data: instanceTypesFor(query) }))
  handle(app, routes.listTaskSizeValues, async ({ query }) => ({ data: taskSizesFor(query) }))
}
