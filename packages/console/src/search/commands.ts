/** Commands for services: their words, and the tab where they are run. */
const verbs = [
  { words: ['release', 'deploy', 'ship'], label: 'Deploy', tab: 'releases' },
  { words: ['roll back', 'rollback'], label: 'Roll back', tab: 'releases' },
  { words: ['log', 'logs'], label: 'Logs of', tab: 'logs' },
  { words: ['metric', 'metrics'], label: 'Metrics of', tab: 'metrics' },
  { words: ['input', 'inputs'], label: 'Inputs of', tab: 'inputs' },
] as const

export type Command = {
  label: string
  /** Tab of the service's page. */
  tab: (typeof verbs)[number]['tab']
  /** Search text for the service. */
  service: string
}

/** Parses a command such as `deploy web`; undefined for other texts or without a service. */
export function parseCommand(text: string): Command | undefined {
  const said = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  for (const { words, label, tab } of verbs) {
    for (const word of words) {
      if (said.startsWith(`${word} `)) return { label, tab, service: said.slice(word.length + 1) }
    }
  }
  return undefined
}

/** Returns the pages whose labels have words that start with the words of the text. */
export function findPages<Page extends { label: string }>(text: string, pages: readonly Page[]): Page[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  return pages.filter(({ label }) => {
    const words = label.toLowerCase().split(/[\s-]+/)
    return wanted.every((one) => words.some((word) => word.startsWith(one)))
  })
}
