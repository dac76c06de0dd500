/** What can be done with a service: by the words that people begin with, and the tab of its page where it is done. */
const verbs = [
  { words: ['release', 'deploy', 'ship'], label: 'Deploy', tab: 'releases' },
  { words: ['roll back', 'rollback'], label: 'Roll back', tab: 'releases' },
  { words: ['log', 'logs'], label: 'Logs of', tab: 'logs' },
  { words: ['metric', 'metrics'], label: 'Metrics of', tab: 'metrics' },
  { words: ['input', 'inputs'], label: 'Inputs of', tab: 'inputs' },
] as const

export type Command = {
  label: string
  /** The tab of the service's page. */
  tab: (typeof verbs)[number]['tab']
  /** The words that say which service. */
  service: string
}

/** The command that a text is, such as `release web`; undefined where it is none, or does not say with what. */
export function commandIn(text: string): Command | undefined {
  const said = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  for (const { words, label, tab } of verbs) {
    for (const word of words) {
      if (said.startsWith(`${word} `)) return { label, tab, service: said.slice(word.length + 1) }
    }
  }
  return undefined
}

/** The pages of which each word of a text is the beginning of a word. */
export function pagesNamed<Page extends { label: string }>(text: string, pages: readonly Page[]): Page[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  return pages.filter(({ label }) => {
    const words = label.toLowerCase().split(/[\s-]+/)
    return wanted.every((one) => words.some((word) => word.startsWith(one)))
  })
}
