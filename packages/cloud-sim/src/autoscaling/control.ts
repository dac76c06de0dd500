import { nameOf } from '../arns.ts'
import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { autoScaling } from './state.ts'

/** Control routes for the instances of all groups and their agents. */
export const autoScalingControl: ControlRoutes = {
  'PUT agents': ({ world, body }) => {
    const { instanceId, status } = body as ControlBodies['agent']
    const instance = autoScaling(world).instances.get(instanceId)
    if (!instance) throw badRequest(`There is no instance ${instanceId}.`)
    if (status !== 'Online' && status !== 'ConnectionLost') throw badRequest('status must be Online or ConnectionLost.')
    autoScaling(world).instances.save(Object.assign(instance, { agent: status }))
  },
  'GET instances': ({ world }) =>
    [...autoScaling(world).instances.all()].map(({ key, groupArn, state, agent, runs, credential }) => ({
      instanceId: key,
      group: nameOf(groupArn),
      state,
      agent,
      runs,
      credential,
    })),
}
