import { matches, useUp } from '../rules.ts'
import type { World } from '../world.ts'
import { type CommandResult, ecs } from './state.ts'

/**
 * Returns how the next run of a command ends, decrementing the matching rule. Without a rule, the command itself
 * decides, for manual tests: `sh -c "sleep 90; exit 3"`.
 */
export function takeCommandResult(world: World, command: string[]): CommandResult {
  const text = command.join(' ')
  const rule = [...ecs(world).commandRules.all()].find(({ key }) => matches(key, text))
  if (rule) useUp(ecs(world).commandRules, rule)
  const said = (word: string) => new RegExp(`\\b${word} (\\d+)`).exec(text)?.[1]
  return {
    exitCode: rule?.exitCode ?? Number(said('exit') ?? 0),
    seconds: rule?.seconds ?? Number(said('sleep') ?? world.timing.jobSeconds),
  }
}
