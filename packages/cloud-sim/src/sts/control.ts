import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { identities } from '../identities.ts'

/** The roles that can be assumed. */
export const stsControl: ControlRoutes = {
  'PUT roles': ({ world, body }) => {
    const { roleArn, externalId, allow, deny = [], maxSessionSeconds = 3600 } = body as ControlBodies['role']
    if (!/^arn:aws:iam::\d{12}:role\/.+$/.test(roleArn)) throw badRequest('roleArn must be the ARN of a role.')
    const there = identities(world).roles.get(roleArn)
    if (there) identities(world).roles.remove(there)
    identities(world).roles.save({ key: roleArn, externalId, allow, deny, maxSessionSeconds })
  },
}
