import { matches, useUp } from '../rules.ts'
import type { World } from '../world.ts'
import type { Behaviour } from './behaviour.ts'
import { ecs } from './state.ts'

/** Behaviours by tag suffix, for manual tests without a rule. */
const builtIn: [ending: string, behaviour: Behaviour][] = [
  ['-crash', 'crash'],
  ['-unhealthy', 'unhealthy'],
  ['-missing', 'pull-error'],
  ['-hang', 'hang'],
]

/** Returns the behaviour of the next task with this image, decrementing the matching rule. */
export function behaviourOf(world: World, address: string): Behaviour {
  const [image = ''] = address.split('@')
  for (const rule of ecs(world).imageRules.all()) {
    if (!matches(rule.key, image)) continue
    useUp(ecs(world).imageRules, rule)
    return rule.behaviour
  }
  return builtIn.find(([ending]) => image.endsWith(ending))?.[1] ?? 'healthy'
}
