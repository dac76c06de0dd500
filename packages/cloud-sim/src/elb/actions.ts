import type { Action, TargetGroupTuple } from '@aws-sdk/client-elastic-load-balancing-v2'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { checkArn } from './arn-rules.ts'
import { elb } from './state.ts'

/** Returns the target groups and weights of a forward action, in either notation. */
export function forwardedTo(action: Action): TargetGroupTuple[] {
  if (action.Type !== 'forward') return []
  const groups = action.ForwardConfig?.TargetGroups
  if (groups && groups.length > 0) return groups
  return action.TargetGroupArn ? [{ TargetGroupArn: action.TargetGroupArn, Weight: 1 }] : []
}

/** Normalizes an action: one target group appears in both notations, several only in ForwardConfig. */
function normalized(action: Action, index: number): Action {
  if (action.Type !== 'forward') return { Order: index + 1, ...action }
  const groups = forwardedTo(action).map(({ TargetGroupArn, Weight }) => ({
    TargetGroupArn,
    Weight: Number(Weight ?? 1),
  }))
  const stickiness = action.ForwardConfig?.TargetGroupStickinessConfig ?? { Enabled: false }
  const ForwardConfig = { TargetGroups: groups, TargetGroupStickinessConfig: stickiness }
  const [only] = groups
  const alone = groups.length === 1 && only ? { TargetGroupArn: only.TargetGroupArn } : {}
  return { Type: 'forward', Order: Number(action.Order ?? index + 1), ...alone, ForwardConfig }
}

/** Validates and normalizes the actions of a listener or rule. */
export function checkActions(world: World, scope: string, actions: Action[] | undefined): Action[] {
  if (!actions || actions.length === 0) throw new CloudError('ValidationError', 'You must specify at least one action')
  checkTerminal(actions)
  return actions.map((action, index) => {
    const groups = forwardedTo(action)
    checkForward(groups)
    if (action.Type === 'forward' && groups.length === 0) {
      throw new CloudError('ValidationError', 'A forward action must specify a target group')
    }
    for (const { TargetGroupArn = '', Weight = 1 } of groups) {
      checkArn('target group', TargetGroupArn)
      if (elb(world).targetGroups.get(TargetGroupArn)?.scope !== scope) throw targetGroupsNotFound([TargetGroupArn])
      if (!(Number(Weight) >= 0 && Number(Weight) <= 999)) {
        throw new CloudError('ValidationError', `Weight '${Weight}' must be between 0 and 999 inclusive`)
      }
    }
    return normalized(action, index)
  })
}

/**
 * Checks that the last action, and only that, ends the request by responding or forwarding ("Listener rules", user
 * guide, read 2026-11).
 */
function checkTerminal(actions: Action[]): void {
  const inOrder = actions.toSorted((one, other) => Number(one.Order ?? 0) - Number(other.Order ?? 0))
  const isTerminal = ({ Type }: Action) => ['forward', 'redirect', 'fixed-response'].includes(String(Type))
  if (actions.filter(isTerminal).length > 1) {
    const message = 'A rule can have only one action of the types forward, redirect and fixed-response'
    throw new CloudError('ValidationError', message)
  }
  const last = inOrder.at(-1)
  if (last && !isTerminal(last)) {
    throw new CloudError('ValidationError', 'The last action must be a forward, a redirect or a fixed-response')
  }
}

/** "Quotas for your Application Load Balancers", read 2026-11. */
const maxTargetGroups = 5

function checkForward(groups: TargetGroupTuple[]): void {
  const arns = groups.map(({ TargetGroupArn }) => TargetGroupArn)
  const twice = arns.find((arn, index) => arns.indexOf(arn) !== index)
  if (twice !== undefined)
    throw new CloudError('ValidationError', `Target group '${twice}' is specified more than once`)
  if (arns.length > maxTargetGroups) {
    throw new CloudError('TooManyTargetGroups', `A forward action can have at most ${maxTargetGroups} target groups`)
  }
}

export const targetGroupsNotFound = (arns: string[]) =>
  new CloudError('TargetGroupNotFound', `Target groups '[${arns.join(', ')}]' not found`)
