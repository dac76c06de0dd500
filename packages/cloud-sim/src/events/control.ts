import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { eventBridge } from './state.ts'

/** Control routes for the delivery of an account's events and its faults. */
export const eventBridgeControl: ControlRoutes = {
  'PUT delivery': ({ world, body }) => {
    const { account, url, headers = {} } = body as ControlBodies['delivery']
    if (!/^\d{12}$/.test(account)) throw badRequest('account must be a twelve-digit account number.')
    if (!URL.canParse(url)) throw badRequest('url must be an absolute URL.')
    eventBridge(world).delivery.putTarget({ account, url, headers })
  },
  'GET delivery': ({ world }) => ({
    targets: eventBridge(world)
      .delivery.targets()
      .map(({ account, url }) => ({ account, url })),
    faults: eventBridge(world).delivery.faults,
    pending: eventBridge(world).delivery.pending,
  }),
  'DELETE delivery': ({ world, url }) =>
    eventBridge(world).delivery.removeTargets(url.searchParams.get('account') ?? undefined),
  'PUT delivery/faults': ({ world, body }) =>
    eventBridge(world).delivery.setFaults(body as ControlBodies['deliveryFaults']),
}
