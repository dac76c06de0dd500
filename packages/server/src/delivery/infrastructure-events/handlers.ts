import { type ObjectContext, object } from '@restatedev/restate-sdk'
import type { PartsOf } from '../../platform/db/ownership.ts'
import { sendMessages } from '../../platform/engine/messages.ts'
import { shortSteps } from '../../platform/engine/short-steps.ts'
import { lookOutside, type OutsideParts } from './outside.ts'
import { cloudEventService } from './wake.ts'

/** Keyed by event id: finds out whether the event tells of a release from outside. */
export const cloudEventObject = (partsOf: PartsOf<OutsideParts>) =>
  object({
    name: cloudEventService,
    handlers: {
      look: async (ctx: ObjectContext): Promise<void> => {
        const look = async () => {
          const parts = await partsOf(ctx.key)
          return parts ? lookOutside(parts, ctx.key) : []
        }
        sendMessages(ctx, await ctx.run('look for a release from outside', look))
      },
    },
    options: shortSteps,
  })
