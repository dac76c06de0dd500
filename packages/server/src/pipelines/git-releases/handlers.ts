import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import { type GitReleaseParts, reportReleases } from './report.ts'
import { gitReleaseService, type ReportRequest } from './wake.ts'

/** Engine object keyed by environment id. Reports releases to Git hosts. */
export const gitReleaseObject = (workOn: WorkOn<GitReleaseParts>) =>
  createRecordObject<GitReleaseParts, ReportRequest>({
    service: gitReleaseService,
    handler: 'tell',
    journaledAs: 'tell the git host',
    workOn,
    async step(parts, { id, payload: { ids = [] } }) {
      await reportReleases(parts, id, ids)
      return []
    },
  })
