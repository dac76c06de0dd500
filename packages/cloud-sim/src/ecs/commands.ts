import { matches, useUp } from '../rules.ts'
import type { World } from '../world.ts'
import { type Ending, ecs } from './state.ts'

/**
 * How the next run of a command ends; takes one from a rule that counts. So that a person can try trouble without a
 * rule, the command's own words are believed: `sh -c "sleep 90; exit 3"`.
 */
export function endingOf(world: World, command: string[]): Ending {
  const text = command.join(' ')
  const rule = [...ecs(world).commandRules.all()].find(({ key }) => matches(key, text))
  if (rule) useUp(ecs(world).commandRules, rule)
  const said = (word: string) => new RegExp(`\\b${word} (\\d+)`).exec(text)?.[1]
  return {
    exitCode: rule?.exitCode ?? Number(said('exit') ?? 0),
    seconds: rule?.seconds ?? Number(said('sleep') ?? world.timing.jobSeconds),
  }
}
