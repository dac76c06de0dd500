import { createHash } from 'node:crypto'

/** File whose texts can be part of the sample. */
export type SourceFile = { path: string; text: string }

/** Text with its source location. */
export type Sample = { path: string; text: string }

/** Draws texts without repetition. The same seed draws the same of them as long as they exist. */
export function draw(found: readonly Sample[], count: number, seed: string): Sample[] {
  const distinct = new Map(found.map((one) => [one.text, one]))
  const rank = ({ text }: Sample) => createHash('sha256').update(`${seed}\n${text}`).digest('hex')
  return [...distinct.values()]
    .map((one) => ({ one, rank: rank(one) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one)
}

/** Returns the doc comments and the other comments of more than two words. */
export const commentsIn = (file: SourceFile): Sample[] =>
  matchesIn(file, /\/\*\*\s([\s\S]*?)\*\/|^[ \t]*\/\/ (.+(?:\n[ \t]*\/\/ .+)*)|\S[ \t]+\/\/ (.+)$/gm)
    .map(({ path, text }) => ({ path, text: text.replaceAll(/\s*\n\s*(?:\*|\/\/) ?|^\* /g, ' ').trim() }))
    .filter(({ text }) => text.split(' ').length > 2 && !/biome-ignore|@ts-/.test(text))

/** Returns the texts that people read in a component: content of elements, and labels, titles and descriptions. */
export const labelsIn = (file: SourceFile): Sample[] =>
  matchesIn(
    file,
    />\s*([A-Z][^<>{}]*[a-z.][^<>{}]*?)\s*<|\b(?:label|title|description|placeholder|about|empty)[=:] ?["']([^"'\n]+)["']/g,
  ).map(({ path, text }) => ({ path, text: text.replaceAll(/\s+/g, ' ') }))

/** Returns the messages of API errors and failures. */
export const messagesIn = (file: SourceFile): Sample[] =>
  matchesIn(file, /new (?:ApiError|StepFailure)\(\s*'\w+',\s*(?:'([^'\n]+)'|`([^`]+)`)/g)

/** Returns the names of exported declarations. */
export const namesIn = (file: SourceFile): Sample[] =>
  matchesIn(file, /^export (?:abstract )?(?:async )?(?:function|const|class|type|interface)\*? (\w+)/gm)

/** Returns the paragraphs of a page of more than six words, without code, tables, lists and headings. */
export const paragraphsIn = ({ path, text }: SourceFile): Sample[] =>
  text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n/)
    .map((paragraph) => ({ path, text: paragraph.trim().replaceAll(/\s*\n\s*/g, ' ') }))
    .filter((paragraph) => /^[A-Z`*[]/.test(paragraph.text) && paragraph.text.split(' ').length > 6)

/** Returns what the groups of a pattern match. */
const matchesIn = ({ path, text }: SourceFile, pattern: RegExp): Sample[] =>
  [...text.matchAll(pattern)].map((match) => ({ path, text: (match.slice(1).find(Boolean) ?? '').trim() }))
