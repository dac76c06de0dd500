import { matches, useUp } from '../rules.ts'
import type { Row } from '../store.ts'
import type { World } from '../world.ts'

export const behaviours = ['healthy', 'crash', 'pull-error', 'unhealthy', 'hang', 'no-capacity'] as const
/** What becomes of a task that runs an image. */
export type Behaviour = (typeof behaviours)[number]

/** Key: the pattern, in which `*` stands for any text. With `times` the rule is used up after so many tasks. */
export interface ImageRule extends Row {
  behaviour: Behaviour
  times?: number | undefined
}

/** So that a person can try trouble without a rule: the end of the tag says it. */
const builtIn: [ending: string, behaviour: Behaviour][] = [
  ['-crash', 'crash'],
  ['-unhealthy', 'unhealthy'],
  ['-missing', 'pull-error'],
  ['-hang', 'hang'],
]

/** What happens to the next task with this image; takes one from a rule that counts. */
export function behaviourOf(world: World, image: string): Behaviour {
  for (const rule of world.imageRules.all()) {
    if (!matches(rule.key, image)) continue
    useUp(world.imageRules, rule)
    return rule.behaviour
  }
  return builtIn.find(([ending]) => image.endsWith(ending))?.[1] ?? 'healthy'
}
