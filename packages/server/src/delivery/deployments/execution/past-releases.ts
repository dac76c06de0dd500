import type { Db } from '../../../platform/db/open.ts'
import { listFunctionReleases, listSiteReleases } from '../store/store.ts'
import type { PastReleases } from './outcome.ts'

/** Returns the queries for past releases, using the database. */
export const pastReleasesIn = (db: Db): PastReleases => ({
  listSiteReleases: (organizationId, bucket) => listSiteReleases(db, organizationId, bucket),
  listFunctionReleases: (organizationId, functionArn) => listFunctionReleases(db, organizationId, functionArn),
})
