import { routes } from '@sluice/contract'
import type { AccountResources } from '../../cloud/account-resources/resources.ts'
import { branchesOf } from '../../git/code-sources/branches.ts'
import type { OpenParts } from '../../git/code-sources/open.ts'
import { findCodeSourceAt } from '../../git/code-sources/store.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { serveAccountValues } from './of-account.ts'
import {
  certificateOptions,
  cloudAccountOptions,
  domainOptions,
  executionEnvironmentOptions,
  toolVersionOptions,
} from './store.ts'
import { instanceTypesFor, regions, taskSizesFor } from './tables.ts'

/** Registers the routes for options of inputs with `$values:…`. */
export function serveValues(app: App, parts: OpenParts & { accountOffers: AccountResources }): void {
  handle(app, routes.listCloudAccountValues, async ({ caller, db }) => ({
    data: await cloudAccountOptions(db, caller.organizationId),
  }))
  handle(app, routes.listExecutionEnvironmentValues, async ({ query, caller, db }) => ({
    data: await executionEnvironmentOptions(db, caller.organizationId, query),
  }))
  handle(app, routes.listCertificateValues, async ({ query, caller, db }) => ({
    data: await certificateOptions(db, caller.organizationId, query),
  }))
  handle(app, routes.listDomainValues, async ({ query, caller, db }) => ({
    data: await domainOptions(db, caller.organizationId, query),
  }))
  handle(app, routes.listRegionValues, async () => ({ data: regions }))
  handle(app, routes.listToolVersionValues, async ({ query, db }) => ({
    data: await toolVersionOptions(db, 'iac', query),
  }))
  handle(app, routes.listAlternativeToolVersionValues, async ({ query, db }) => ({
    data: await toolVersionOptions(db, 'iac_alt', query),
  }))
  handle(app, routes.listBranchValues, async ({ query: { repository }, caller, db }) => {
    if (repository === undefined) return { data: [] }
    const source = await findCodeSourceAt(db, caller.organizationId, repository)
    if (!source) return { data: [] } // the value may still be typed in
    const names = await branchesOf(db, parts, source)
    const isDefault = (name: string) => name === source.defaultBranch
    return {
      data: names
        .toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)))
        .map((name) => ({ value: name, label: name, ...(isDefault(name) && { description: 'The default branch.' }) })),
    }
  })
  serveAccountValues(app, parts)
  handle(app, routes.listInstanceTypeValues, async ({ query }) => ({ data: instanceTypesFor(query) }))
  handle(app, routes.listTaskSizeValues, async ({ query }) => ({ data: taskSizesFor(query) }))
}
