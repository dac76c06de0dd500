import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import { type PreviewParts, reconcilePreview } from './reconcile.ts'
import { updateRequestComment } from './request-comment.ts'
import { previewService } from './wake.ts'

/** Durable object, keyed by preview environment id: advances it and updates the pull request. */
export const previewObject = (workOn: WorkOn<PreviewParts>) =>
  createRecordObject({
    service: previewService,
    handler: 'look',
    journaledAs: 'look at the preview environment',
    workOn,
    step: async (parts, { id }) => {
      const messages = await reconcilePreview(parts, id)
      await updateRequestComment(parts, id)
      return messages
    },
  })
