import { dialect } from './dialect.ts'

export type Finding = { line: number; message: string }

const phrases = dialect.filter(({ isDocsOnly }) => isDocsOnly !== true)

/** Words that no name of a top-level declaration may have, with the term to use instead. */
const words: readonly { word: RegExp; use: string }[] = [
  { word: /\b(?:un)?told\b|\bteller\b/, use: 'notified, reported, published' },
  { word: /\b(?:some|every)body\b|\bwhoever\b/, use: 'the role' },
  { word: /\bobstacles?\b/, use: 'blocker' },
  { word: /\bonward\b/, use: 'promotion candidates' },
  { word: /\boutlook\b/, use: 'forecast' },
  { word: /\bripe\b/, use: 'eligible' },
  { word: /\brulings?\b/, use: 'policy decision' },
  { word: /\bstandings?\b/, use: 'state, status' },
  { word: /\bbeaten\b/, use: 'heartbeat lost' },
  { word: /\blen[dt]\b/, use: 'granted, allocated' },
  { word: /\bunder way\b/, use: 'in progress' },
  { word: /\bcarr(?:y|ied) out\b/, use: 'execute' },
  { word: /\bgo on\b/, use: 'continue' },
  { word: /\blet go\b/, use: 'lift, close' },
  { word: /\bgive way\b/, use: 'supersede' },
  { word: /\bhand out\b/, use: 'assign' },
]

/** Returns phrases of the dialect in comments, titles of tests and names of declarations. */
export function checkCode(text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const prose = proseIn(line)
    const found = prose === undefined ? findingsInName(line) : findingsInProse(prose)
    return found.map((message) => ({ line: index + 1, message }))
  })
}

/** Returns the text of a comment or test title, without code spans; undefined for other lines. */
function proseIn(line: string): string | undefined {
  if (/biome-ignore|@ts-/.test(line)) return undefined
  const [, comment] = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*)$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line) ?? []
  const [, title] = /^\s*(?:test|it|describe)(?:\.\w+)*\(\s*(['"`].*)$/.exec(line) ?? []
  return (comment ?? title)?.replaceAll(/`[^`]*`/g, '')
}

const findingsInProse = (prose: string): string[] =>
  phrases.flatMap(({ phrase, use }) => {
    const [found] = phrase.exec(prose) ?? []
    return found === undefined ? [] : [`"${found}": use ${use}`]
  })

function findingsInName(line: string): string[] {
  const [, name] =
    /^(?:export )?(?:abstract )?(?:async )?(?:function|const|let|class|type|interface)\*? ([A-Za-z_$][\w$]*)/.exec(
      line,
    ) ?? []
  if (name === undefined) return []
  const spaced = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.filter(({ word }) => word.test(spaced)).map(({ use }) => `name "${name}": use ${use}`)
}
