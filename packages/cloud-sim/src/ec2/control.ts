import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { makeNetwork } from './make.ts'

/** Control routes for networks, which cannot be created through the API. */
export const ec2Control: ControlRoutes = {
  'PUT networks': ({ world, body }) => {
    const { account, region, ...network } = body as ControlBodies['network']
    if (!/^\d{12}$/.test(account) || !region) throw badRequest('account must be twelve digits, and region be given.')
    makeNetwork(world, `${region}:${account}`, network)
  },
}
