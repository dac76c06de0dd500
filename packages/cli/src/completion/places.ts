import type { Command, Option } from 'commander'

export type Flag = {
  /** Such as `-o` and `--output`. */
  names: string[]
  description: string
  takesValue: boolean
  choices: readonly string[]
  /** Lists whose ids and names complete its value. */
  lists: readonly string[]
}

/** Shell completions after a command prefix, such as `sluice freeze` or `sluice freeze add`. */
export type CompletionPoint = {
  /** The words, separated by single spaces. */
  words: string
  commands: { name: string; description: string }[]
  flags: Flag[]
  /** Enumerated values of its arguments. */
  choices: readonly string[]
  /** Lists whose ids and names complete its arguments. */
  lists: readonly string[]
}

/** Lists to complete from, for arguments and flags that are not named like their list. */
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

/** Returns the lists for an argument or flag; none for folders and addresses. */
const listsFor = (name: string, takes: string): readonly string[] =>
  /folder|file|url|givenId/.test(takes) || !Object.hasOwn(listsOf, name) ? [] : (listsOf[name] ?? [])

/** Returns all positions of a command line from its command definitions. */
export function completionPointsOf(command: Command, before: readonly string[] = []): CompletionPoint[] {
  const path = [...before, command.name()]
  const place: CompletionPoint = {
    words: path.join(' '),
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagOf), help],
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    lists: [...new Set(command.registeredArguments.flatMap((one) => listsFor(one.name(), '')))],
  }
  return [place, ...command.commands.flatMap((one) => completionPointsOf(one, path))]
}

function flagOf({ short, long, flags, description, required, optional, argChoices = [] }: Option): Flag {
  const names = [short, long].filter((name) => name !== undefined)
  const takesValue = required || optional
  const lists = takesValue ? listsFor(long?.replace(/^--/, '') ?? '', flags) : []
  return { names, description, takesValue, choices: argChoices, lists }
}

const help: Flag = {
  names: ['-h', '--help'],
  description: 'show what it takes',
  takesValue: false,
  choices: [],
  lists: [],
}
