import type { Action, TargetGroupTuple } from '@aws-sdk/client-elastic-load-balancing-v2'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { checkArn } from './arn-rules.ts'
import { elb } from './state.ts'

/** The target groups of a forward action with their weights, whichever of the two ways it was written. */
export function forwardedTo(action: Action): TargetGroupTuple[] {
  if (action.Type !== 'forward') return []
  const groups = action.ForwardConfig?.TargetGroups
  if (groups && groups.length > 0) return groups
  return action.TargetGroupArn ? [{ TargetGroupArn: action.TargetGroupArn, Weight: 1 }] : []
}

/** An action as the cloud shows it: one target group is shown both ways, several only in ForwardConfig. */
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

/** Checks the actions of a listener or a rule and brings them into the form in which they are kept. */
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

/** One action answers or passes on the request, and comes last ("Listener rules", user guide, read 2026-11). */
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
