import { accountOffersOf } from '../cloud/domain.ts'
import { gitOf } from '../git/domain.ts'
import type { Db } from '../platform/db/open.ts'
import type { FindUsers } from '../platform/db/users.ts'
import { type Domain, extensionPoint, operationParts } from '../platform/domain.ts'
import { serveBundledModules } from './bundled-modules/routes.ts'
import { serveModuleDefinitions } from './module-definitions/routes.ts'
import { serveModuleInstances } from './module-instances/routes.ts'
import type { InstanceRuns } from './module-instances/runs.ts'
import type { HasHistory, OnInstancePlaced } from './module-instances/store.ts'
import { serveModuleVersions } from './module-versions/routes.ts'
import { serveValues } from './values/routes.ts'

export const instanceDependents = extensionPoint<FindUsers>('dependents of a module instance')
export const instanceHistory = extensionPoint<HasHistory>('history of a module instance')
export const instanceRunner = extensionPoint<InstanceRuns>('runs of module instances')
export const onInstancePlaced = extensionPoint<OnInstancePlaced>('a module instance was created or changed')
/** Removes the stack of a destroyed module instance, where nothing else was made of it. */
export const stackRemoval =
  extensionPoint<(tx: Db, organizationId: string, id: string) => Promise<void>>('removal of a stack')

export const modules: Domain = {
  serve(app, platform) {
    const { config, database } = platform
    const { db } = database
    const parts = {
      ...operationParts(platform),
      ...gitOf(platform),
      accountOffers: accountOffersOf(app, platform),
      modulePublishers: config.modulePublishers ?? [],
      instanceRuns: instanceRunner.one(platform),
      onInstancePlaced: onInstancePlaced.all(platform),
      usersOfModuleInstance: instanceDependents.one(platform),
      hasHistory: instanceHistory.one(platform),
      removeUnusedStack: stackRemoval.one(platform),
    }
    serveBundledModules(app)
    serveModuleDefinitions(app, { ...parts, db })
    serveModuleVersions(app, parts)
    serveModuleInstances(app, parts)
    serveValues(app, parts)
  },
}
