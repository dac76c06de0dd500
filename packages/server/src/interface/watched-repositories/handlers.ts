import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import type { WatchedParts } from './plan.ts'
import { reportPullRequest } from './report.ts'
import { syncWatchedRepository } from './sync.ts'
import { watchedRequestService, watchedService } from './wake.ts'

/** Engine object keyed by watched repository id. Reads, plans and applies its files in one pass at a time. */
export const watchedRepositoryObject = (workOn: WorkOn<WatchedParts>) =>
  createRecordObject({
    service: watchedService,
    handler: 'look',
    journaledAs: 'look at the watched repository',
    workOn,
    step: (parts, { id }) => syncWatchedRepository(parts, id),
  })

/** Engine object keyed by the id of a pull request that changes watched files. */
export const watchedPullRequestObject = (workOn: WorkOn<WatchedParts>) =>
  createRecordObject({
    service: watchedRequestService,
    handler: 'plan',
    journaledAs: 'plan the files of the pull request',
    workOn,
    async step(parts, { id }) {
      await reportPullRequest(parts, id)
      return []
    },
  })
