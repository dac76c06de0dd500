import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { identities } from '../identities.ts'
import { type Statement, unsupportedPart } from '../rights/policy.ts'
import { roleArnPattern } from './operations.ts'

/** Control routes that create roles. */
export const stsControl: ControlRoutes = {
  'PUT roles': ({ world, body }) => {
    const { policy, allow, deny, ...role } = body as ControlBodies['role']
    const { roleArn, maxSessionSeconds = 3600, ...more } = role
    if (!roleArnPattern.test(roleArn)) throw badRequest('roleArn must be the ARN of a role.')
    const trouble = policy?.map(unsupportedPart).find((why) => why !== undefined)
    if (trouble !== undefined) throw badRequest(trouble)
    const there = identities(world).roles.get(roleArn)
    if (there) identities(world).roles.remove(there)
    const statements = [...(policy ?? []), ...onEverything('Allow', allow), ...onEverything('Deny', deny)]
    const isTold = policy !== undefined || allow !== undefined
    const all = isTold ? statements : [...onEverything('Allow', ['*']), ...statements]
    identities(world).roles.save({ ...more, key: roleArn, policy: all, maxSessionSeconds })
  },
}

const onEverything = (Effect: Statement['Effect'], Action: string[] = []): Statement[] =>
  Action.length > 0 ? [{ Effect, Action, Resource: '*' }] : []
