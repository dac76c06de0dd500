import { accountResourcesOf } from '../cloud/domain.ts'
import { gitOf } from '../git/domain.ts'
import type { Db } from '../platform/db/open.ts'
import { type Domain, extensionPoint, operationParts } from '../platform/domain.ts'
import { serveBundledModules } from './bundled-modules/routes.ts'
import { serveModuleDefinitions } from './module-definitions/routes.ts'
import { serveModuleInstances } from './module-instances/routes.ts'
import type { InstanceRuns } from './module-instances/runs.ts'
import type { HasHistory, OnInstancePlaced } from './module-instances/store.ts'
import { serveModuleVersions } from './module-versions/routes.ts'
import { moduleRecords } from './records.ts'
import { serveValues } from './values/routes.ts'

export const instanceHistory = extensionPoint<HasHistory>('history of a module instance')
export const instanceRunner = extensionPoint<InstanceRuns>('runs of module instances')
export const onInstancePlaced = extensionPoint<OnInstancePlaced>('a module instance was created or changed')
/** Deletes the stack of a destroyed module instance if nothing else uses it. */
export const stackRemoval =
  extensionPoint<(tx: Db, organizationId: string, id: string) => Promise<void>>('removal of a stack')

export const modules: Domain = {
  records: moduleRecords,
  serve(app, platform) {
    const { config, database } = platform
    const { db } = database
    const parts = {
      ...operationParts(platform),
      ...gitOf(platform),
      accountOffers: accountResourcesOf(app, platform),
      modulePublishers: config.modulePublishers ?? [],
      instanceRuns: instanceRunner.one(platform),
      onInstancePlaced: onInstancePlaced.all(platform),
      hasHistory: instanceHistory.one(platform),
      removeUnusedStack: stackRemoval.one(platform),
    }
    serveBundledModules(app)
    serveModuleDefinitions(app, { ...parts, db })
    serveModuleVersions(app)
    serveModuleInstances(app, parts)
    serveValues(app, parts)
  },
}
