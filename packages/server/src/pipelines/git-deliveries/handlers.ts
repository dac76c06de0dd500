import { type ObjectContext, object } from '@restatedev/restate-sdk'
import { sendMessages } from '../../platform/engine/messages.ts'
import { shortSteps } from '../../platform/engine/short-steps.ts'
import { type DeliveryParts, processDelivery } from './process.ts'
import { deliveryService } from './wake.ts'

/** Keyed by delivery id: does what the git host's delivery asks for. */
export const deliveryObject = (parts: DeliveryParts) =>
  object({
    name: deliveryService,
    handlers: {
      process: async (ctx: ObjectContext): Promise<void> => {
        sendMessages(ctx, await ctx.run('process the delivery', () => processDelivery(parts, ctx.key)))
      },
    },
    options: shortSteps,
  })
