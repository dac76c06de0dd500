import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { identities } from '../identities.ts'
import { roleArnPattern } from './operations.ts'

/** The roles that can be assumed. */
export const stsControl: ControlRoutes = {
  'PUT roles': ({ world, body }) => {
    const { roleArn, deny = [], maxSessionSeconds = 3600, ...more } = body as ControlBodies['role']
    if (!roleArnPattern.test(roleArn)) throw badRequest('roleArn must be the ARN of a role.')
    const there = identities(world).roles.get(roleArn)
    if (there) identities(world).roles.remove(there)
    identities(world).roles.save({ ...more, key: roleArn, deny, maxSessionSeconds })
  },
}
