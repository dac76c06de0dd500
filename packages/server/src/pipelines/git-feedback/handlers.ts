import { type ObjectContext, object } from '@restatedev/restate-sdk'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { shortSteps } from '../../platform/engine/short-steps.ts'
import { type FeedbackParts, tellHosts } from './tell.ts'
import { feedbackService, type Tell } from './wake.ts'

/** Keyed by pipeline id: tells git hosts of its runs. */
export const feedbackObject = (workOn: WorkOn<FeedbackParts>) =>
  object({
    name: feedbackService,
    handlers: {
      tell: async (ctx: ObjectContext, { ids }: Tell): Promise<void> =>
        ctx.run('tell the git host', () => workOn(ctx.key, (parts) => tellHosts(parts, ctx.key, ids))),
    },
    options: shortSteps,
  })
