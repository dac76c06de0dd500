import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import { type FeedbackParts, reportRuns } from './report.ts'
import { feedbackService, type ReportRequest, tellHandler } from './wake.ts'

/** Durable object that reports runs to git hosts. Its key is the ID of the pipeline. */
export const feedbackObject = (workOn: WorkOn<FeedbackParts>) =>
  createRecordObject<FeedbackParts, ReportRequest>({
    service: feedbackService,
    handler: tellHandler,
    journaledAs: 'tell the git host',
    workOn,
    async step(parts, { id, payload }) {
      await reportRuns(parts, id, payload.ids ?? [])
      return []
    },
  })
