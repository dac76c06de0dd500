import type { Command, Option } from 'commander'

export type Flag = {
  /** `-o` and `--output`. */
  names: string[]
  description: string
  takesValue: boolean
  choices: readonly string[]
}

/** What may be typed after some words: `sluice freeze` and `sluice freeze add` are two places. */
export type Place = {
  /** The words, with single spaces between them. */
  words: string
  commands: { name: string; description: string }[]
  flags: Flag[]
  /** Of its arguments, what is chosen from. */
  choices: readonly string[]
}

/** Every place of a command line, as its own table of commands has them. */
export function placesOf(command: Command, before: readonly string[] = []): Place[] {
  const path = [...before, command.name()]
  const place: Place = {
    words: path.join(' '),
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagOf), help],
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [place, ...command.commands.flatMap((one) => placesOf(one, path))]
}

function flagOf({ short, long, description, required, optional, argChoices = [] }: Option): Flag {
  const names = [short, long].filter((name) => name !== undefined)
  return { names, description, takesValue: required || optional, choices: argChoices }
}

const help: Flag = { names: ['-h', '--help'], description: 'show what it takes', takesValue: false, choices: [] }
