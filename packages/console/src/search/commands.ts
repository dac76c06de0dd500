import type { PageCommand } from '../commands/page-commands.ts'
import { matchesWords } from './actions.ts'

type Verb = {
  words: readonly string[]
  label: string
  /** Tab of the service's page. */
  tab: string
  /** Command of that tab, if the verb runs one. */
  command?: PageCommand
}

/** Commands for services: their words, and the tab where they are run. */
const verbs: readonly Verb[] = [
  { words: ['release', 'deploy', 'ship'], label: 'Deploy', tab: 'releases', command: 'deploy' },
  { words: ['roll back', 'rollback'], label: 'Roll back', tab: 'releases', command: 'rollBack' },
  { words: ['lift hold', 'unhold'], label: 'Lift hold of', tab: 'releases', command: 'liftHold' },
  { words: ['hold'], label: 'Hold', tab: 'releases', command: 'hold' },
  { words: ['compare'], label: 'Compare releases of', tab: 'releases', command: 'compare' },
  { words: ['task', 'tasks'], label: 'Tasks of', tab: 'tasks' },
  { words: ['infrastructure', 'drift'], label: 'Infrastructure of', tab: 'infrastructure' },
  { words: ['log', 'logs'], label: 'Logs of', tab: 'logs' },
  { words: ['metric', 'metrics'], label: 'Metrics of', tab: 'metrics' },
  { words: ['input', 'inputs'], label: 'Inputs of', tab: 'inputs' },
]

export type Command = Omit<Verb, 'words'> & {
  /** Search text for the service. */
  service: string
}

/** Parses a command such as `deploy web`; undefined for other texts or without a service. */
export function parseCommand(text: string): Command | undefined {
  const said = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  for (const { words, ...verb } of verbs) {
    for (const word of words) {
      if (said.startsWith(`${word} `)) return { ...verb, service: said.slice(word.length + 1) }
    }
  }
  return undefined
}

/** Returns the pages whose labels, or whose further words, have words that start with the words of the text. */
export const findPages = <Page extends { label: string; keywords?: string }>(
  text: string,
  pages: readonly Page[],
): Page[] => pages.filter(({ label, keywords }) => matchesWords(text, label, keywords))
