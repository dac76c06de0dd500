import { type ObjectContext, object } from '@restatedev/restate-sdk'
import { shortSteps } from '../../platform/engine/short-steps.ts'
import { type FeedbackParts, tellHosts } from './tell.ts'
import { feedbackService, type Tell } from './wake.ts'

/** Keyed by pipeline id: tells git hosts of its runs. */
export const feedbackObject = (parts: FeedbackParts) =>
  object({
    name: feedbackService,
    handlers: {
      tell: async (ctx: ObjectContext, { ids }: Tell): Promise<void> =>
        ctx.run('tell the git host', () => tellHosts(parts, ctx.key, ids)),
    },
    options: shortSteps,
  })
