import { type ObjectContext, object } from '@restatedev/restate-sdk'
import type { PartsOf } from '../../platform/db/ownership.ts'
import { shortSteps } from '../../platform/engine/short-steps.ts'
import { type FeedbackParts, tellHosts } from './tell.ts'
import { feedbackService, type Tell } from './wake.ts'

/** Keyed by pipeline id: tells git hosts of its runs. */
export const feedbackObject = (partsOf: PartsOf<FeedbackParts>) =>
  object({
    name: feedbackService,
    handlers: {
      tell: async (ctx: ObjectContext, { ids }: Tell): Promise<void> =>
        ctx.run('tell the git host', async () => {
          const parts = await partsOf(ctx.key)
          if (parts) await tellHosts(parts, ctx.key, ids)
        }),
    },
    options: shortSteps,
  })
