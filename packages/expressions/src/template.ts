import { Problem } from './errors.ts'
import { parseText } from './parse.ts'
import { endOfTemplate } from './tokens.ts'
import type { Expression } from './tree.ts'

/** Text parsed into literal parts and expressions. */
export type Template = {
  /** Text and expressions, in order. */
  parts: (string | Expression)[]
  /** The expression, if the text is one template and white space. Its value keeps its type. */
  whole?: Expression
  /** The expression after `...`, which stands for the elements of its value in a list. */
  spread?: Expression
}

/** Maximum length of a text with templates. The longest in use has 18,571 characters. */
const maxLength = 1024 * 1024

export const hasTemplate = (text: string): boolean => text.includes('<<')

/**
 * Parses the templates in `text`.
 * @throws {Problem} for the first syntax error
 */
export function templateOf(text: string): Template {
  const known = cache.get(text)
  if (!known) return remember(text, takeApart(text))
  // Moves the entry to the end. The entries at the beginning are evicted first.
  cache.delete(text)
  cache.set(text, known)
  return known
}

function takeApart(text: string): Template {
  if (text.length > maxLength) throw new Problem(`a text with templates can have at most ${maxLength} characters`, 0)
  const parts: (string | Expression)[] = []
  let at = 0
  const isHeredoc = heredocsIn(text)
  for (let open = text.indexOf('<<'); open !== -1; open = text.indexOf('<<', at)) {
    if (isHeredoc(open)) {
      parts.push(text.slice(at, open + 2))
      at = open + 2
      continue
    }
    if (open > at) parts.push(text.slice(at, open))
    const end = endOfTemplate(text, open)
    parts.push(parseText(text, open + 2, end))
    at = end + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return { parts, ...aloneIn(parts) }
}

const heredocOpening = /<<-?([A-Za-z_][\w-]*)[ \t]*\r?\n/y

/**
 * Returns which `<<` start a heredoc, as in programs and configuration: a word up to the end of the line, and further
 * down a line with only that word. They are plain text, but templates inside are templates.
 */
function heredocsIn(text: string): (open: number) => boolean {
  let lastLines: Map<string, number> | undefined
  return (open) => {
    heredocOpening.lastIndex = open
    const word = heredocOpening.exec(text)?.[1]
    if (word === undefined) return false
    lastLines ??= findLastLines(text)
    return (lastLines.get(word) ?? -1) > open
  }
}

/** Maps each trimmed line to its last position, because a text may have many heredocs. */
function findLastLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  let at = 0
  for (const line of text.split('\n')) {
    lines.set(line.trim(), at)
    at += line.length + 1
  }
  return lines
}

function aloneIn(parts: Template['parts']): Pick<Template, 'whole' | 'spread'> {
  const [only, ...others] = parts.filter((part) => typeof part !== 'string')
  const around = parts
    .filter((part) => typeof part === 'string')
    .join('')
    .trim()
  if (!only || others.length > 0) return {}
  if (around === '') return { whole: only }
  // Something other than white space precedes it, or else it would not be the spread operator.
  return around === '...' && typeof parts[0] === 'string' && parts[0].trim() === '...' ? { spread: only } : {}
}

const cache = new Map<string, Template>()
/** Maximum characters of all texts in the cache. The templates of the 20 known definitions have 100,000 together. */
const maxCached = 1024 * 1024
const maxCachedOfOne = maxCached / 16
let cached = 0

function remember(text: string, template: Template): Template {
  if (text.length > maxCachedOfOne) return template
  cache.set(text, template)
  cached += text.length
  for (const oldest of cache.keys()) {
    if (cached <= maxCached) break
    cache.delete(oldest)
    cached -= oldest.length
  }
  return template
}
