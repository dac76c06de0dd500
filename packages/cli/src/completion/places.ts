import type { Command, Option } from 'commander'

export type Flag = {
  /** `-o` and `--output`. */
  names: string[]
  description: string
  takesValue: boolean
  choices: readonly string[]
  /** The lists whose ids and names its value may be. */
  lists: readonly string[]
}

/** What may be typed after some words: `sluice freeze` and `sluice freeze add` are two places. */
export type Place = {
  /** The words, with single spaces between them. */
  words: string
  commands: { name: string; description: string }[]
  flags: Flag[]
  /** Of its arguments, what is chosen from. */
  choices: readonly string[]
  /** The lists whose ids and names its arguments may be. */
  lists: readonly string[]
}

/** What is listed under another name than what an argument or a flag is called. */
const listsOf: Readonly<Record<string, readonly string[]>> = {
  account: ['cloud-accounts'],
  channel: ['notification-channels'],
  deployment: ['deployments'],
  environment: ['environments'],
  environments: ['environments'],
  freeze: ['freezes'],
  from: ['environments'],
  hold: ['holds'],
  id: ['deployments', 'pipeline-runs', 'pipeline-step-executions', 'module-instances'],
  instance: ['module-instances'],
  membership: ['memberships'],
  other: ['deployments'],
  pipeline: ['pipelines'],
  policy: ['policies'],
  preview: ['preview-environments'],
  project: ['projects'],
  projects: ['projects'],
  run: ['pipeline-runs'],
  'slack-account': ['slack-accounts'],
  to: ['environments'],
}

/** A folder or an address that is called as something else has no list. */
const listsFor = (name: string, takes: string): readonly string[] =>
  /folder|file|url|givenId/.test(takes) || !Object.hasOwn(listsOf, name) ? [] : (listsOf[name] ?? [])

/** Every place of a command line, as its own table of commands has them. */
export function placesOf(command: Command, before: readonly string[] = []): Place[] {
  const path = [...before, command.name()]
  const place: Place = {
    words: path.join(' '),
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagOf), help],
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    lists: [...new Set(command.registeredArguments.flatMap((one) => listsFor(one.name(), '')))],
  }
  return [place, ...command.commands.flatMap((one) => placesOf(one, path))]
}

function flagOf({ short, long, flags, description, required, optional, argChoices = [] }: Option): Flag {
  const names = [short, long].filter((name) => name !== undefined)
  const takesValue = required || optional
  const lists = takesValue ? listsFor(long?.replace(/^--/, '') ?? '', flags) : []
  return { names, description, takesValue, choices: argChoices, lists }
}

const help: Flag = {
  ...{ names: ['-h', '--help'], description: 'show what it takes' },
  ...{ takesValue: false, choices: [], lists: [] },
}
