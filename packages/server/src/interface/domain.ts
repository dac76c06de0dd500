import { cloudAccountRegions } from '../cloud/domain.ts'
import { releaseDigestsOf } from '../delivery/domain.ts'
import { gitOf } from '../git/domain.ts'
import { organizationDependents } from '../identity/domain.ts'
import { stackRemoval } from '../modules/domain.ts'
import { changeLog } from '../notifications/domain.ts'
import { gitSubscribers } from '../pipelines/domain.ts'
import { consoleLinks } from '../platform/config/addresses.ts'
import { type Domain, declarationsOf, findDependentsOf, operationParts } from '../platform/domain.ts'
import { environmentHistory } from '../projects/domain.ts'
import { serveAppliedFiles } from './applied-files/routes.ts'
import { serveChanges } from './changes/routes.ts'
import { deleteOldChanges, readChanges } from './changes/store.ts'
import { dependentsOfOrganization } from './dependents/organization.ts'
import { regionsOfCloudAccount } from './dependents/regions.ts'
import { removeHistoryOfEnvironment, removeUnusedStack } from './dependents/removal.ts'
import { serveDescribe } from './describe/routes.ts'
import { serveFavourites } from './favourites/routes.ts'
import { serveGuide } from './guide/routes.ts'
import { serveHealth } from './health/routes.ts'
import { deleteExpiredResponses } from './idempotency/forget.ts'
import { serveInbox } from './inbox/routes.ts'
import { recordReportedUses } from './mcp/uses.ts'
import { serveMetrics } from './metrics/routes.ts'
import { serveOpenApi } from './openapi/routes.ts'
import { interfaceRecords } from './records.ts'
import { serveReports } from './reports/routes.ts'
import { serveSavedViews } from './saved-views/routes.ts'
import { serveSchemas } from './schemas/routes.ts'
import { serveSearch } from './search/routes.ts'
import { serveServices } from './services/routes.ts'
import { onPullRequest, onPush } from './watched-repositories/events.ts'
import { watchedPullRequestObject, watchedRepositoryObject } from './watched-repositories/handlers.ts'
import { serveWatchedRepositories } from './watched-repositories/routes.ts'
import { isWatchedRepository, overdueWatched, overdueWatchedRequests } from './watched-repositories/store.ts'
import { watchedPullRequests, watchedRepositories } from './watched-repositories/tables.ts'

export const wholeInterface: Domain = {
  records: interfaceRecords,
  async prepareApp(app) {
    await serveOpenApi(app)
    recordReportedUses(app)
  },
  async serve(app, platform) {
    const { config, database, engine, keys, isClockRight, isWanted } = platform
    const { db } = database
    const { metrics } = app
    const { mcpActions, metricsToken } = config
    const declarations = declarationsOf(platform)
    const parts = { ...operationParts(platform), declarations, releaseDigests: releaseDigestsOf(platform) }
    await serveGuide(app)
    serveSchemas(app)
    serveHealth(app, { db, engine, knowsWorker: engine.knowsWorker, isClockRight, isWanted })
    serveMetrics(app, { ...parts, db, metrics, metricsToken })
    // Loaded only if needed, because the protocol's libraries slow down the start.
    if (config.mcp === 'on') {
      const { serveMcp } = await import('./mcp/routes.ts')
      serveMcp(app, { mcpActions, agentSecrets: keys.secretsFor('agents') })
    }
    serveChanges(app, { ...parts, db })
    serveServices(app, parts)
    serveReports(app, parts)
    serveAppliedFiles(app)
    serveWatchedRepositories(app, parts)
    serveFavourites(app)
    serveSavedViews(app)
    serveInbox(app, parts)
    serveSearch(app)
    serveDescribe(app, parts)
  },
  extensions: (platform) => [
    organizationDependents.extend(dependentsOfOrganization(findDependentsOf(platform))),
    cloudAccountRegions.extend(regionsOfCloudAccount),
    environmentHistory.extend(removeHistoryOfEnvironment),
    stackRemoval.extend(removeUnusedStack(findDependentsOf(platform))),
    changeLog.extend(readChanges),
    gitSubscribers.extend({
      onBranchEvent: onPush,
      onPullRequest,
      needsPaths: isWatchedRepository,
    }),
  ],
  work(platform, { own }) {
    const { config, database, ownRequests, clock, log } = platform
    const { ofOrganization } = database
    const parts = {
      ...gitOf(platform),
      ofOrganization,
      ownRequests,
      linkTo: consoleLinks(config),
      clock: clock.now,
      log,
    }
    return {
      objects: [
        watchedRepositoryObject(own.workOn(watchedRepositories, parts)),
        watchedPullRequestObject(own.workOn(watchedPullRequests, parts)),
      ],
      overdue: [overdueWatched, overdueWatchedRequests],
    }
  },
  forget: () => [deleteExpiredResponses],
  forgetEachMinute: [deleteOldChanges],
}
