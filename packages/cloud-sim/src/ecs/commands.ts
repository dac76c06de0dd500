import { matches, useUp } from '../rules.ts'
import type { Row } from '../store.ts'
import type { World } from '../world.ts'

/** How a command ends. */
export interface Ending {
  exitCode: number
  /** Cloud seconds that it runs. */
  seconds: number
}

/** Key: the pattern of the command's words, in which `*` stands for any text. With `times` it is used up after so many. */
export interface CommandRule extends Row {
  exitCode?: number | undefined
  seconds?: number | undefined
  times?: number | undefined
}

/**
 * How the next run of a command ends; takes one from a rule that counts. So that a person can try trouble without a
 * rule, the command's own words are believed: `sh -c "sleep 90; exit 3"`.
 */
export function endingOf(world: World, command: string[]): Ending {
  const text = command.join(' ')
  const rule = [...world.commandRules.all()].find(({ key }) => matches(key, text))
  if (rule) useUp(world.commandRules, rule)
  const said = (word: string) => new RegExp(`\\b${word} (\\d+)`).exec(text)?.[1]
  return {
    exitCode: rule?.exitCode ?? Number(said('exit') ?? 0),
    seconds: rule?.seconds ?? Number(said('sleep') ?? world.timing.jobSeconds),
  }
}
