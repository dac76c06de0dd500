import { matches, useUp } from '../rules.ts'
import type { World } from '../world.ts'
import type { Behaviour } from './behaviour.ts'
import { ecs } from './state.ts'

/** So that a person can try trouble without a rule: the end of the tag says it. */
const builtIn: [ending: string, behaviour: Behaviour][] = [
  ['-crash', 'crash'],
  ['-unhealthy', 'unhealthy'],
  ['-missing', 'pull-error'],
  ['-hang', 'hang'],
]

/** What happens to the next task with this image, whatever its digest; takes one from a rule that counts. */
export function behaviourOf(world: World, address: string): Behaviour {
  const [image = ''] = address.split('@')
  for (const rule of ecs(world).imageRules.all()) {
    if (!matches(rule.key, image)) continue
    useUp(ecs(world).imageRules, rule)
    return rule.behaviour
  }
  return builtIn.find(([ending]) => image.endsWith(ending))?.[1] ?? 'healthy'
}
