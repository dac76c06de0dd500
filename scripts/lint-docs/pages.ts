import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Finding } from './prose.ts'

export const maxPages = 60
/** Maximum length of a how-to guide: two screens. */
export const maxHowToLines = 120
/** Length of the first screen, which must contain a command to copy. */
const firstScreenLines = 45

const folders = ['tutorials', 'how-to', 'reference', 'explanation']
/** Pages outside of the four sections. */
const ofTheWhole = ['docs/README.md', 'docs/architecture.md', 'docs/glossary.md']

/** Returns findings about the folder and the length of a page. */
export function checkForm(page: string, text: string): Finding[] {
  if (!page.startsWith('docs/') || ofTheWhole.includes(page)) return []
  const folder = page.split('/')[1] ?? ''
  if (!folders.includes(folder)) return [{ line: 1, message: `belongs in one of ${folders.join(', ')}` }]
  if (folder !== 'how-to') return []
  const lines = text.trimEnd().split('\n')
  const length = { line: lines.length, message: `${lines.length} lines in a how-to guide, at most ${maxHowToLines}` }
  const firstScreen = { line: 1, message: `no command or example in the first ${firstScreenLines} lines` }
  return [
    ...(lines.length > maxHowToLines ? [length] : []),
    ...(lines.slice(0, firstScreenLines).some((line) => /^ *```/.test(line)) ? [] : [firstScreen]),
  ]
}

/** Returns the links of a page to files or sections that do not exist. */
export function checkLinks(page: string, read: (path: string) => string): Finding[] {
  return read(page)
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)]
        .filter(([, link = '']) => !resolves(page, link, read))
        .map(([, link]) => ({ line: at + 1, message: `links to ${link}, which does not exist` })),
    )
}

function resolves(page: string, link: string, read: (path: string) => string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsOf(read(target)).has(anchor)
}

/** Returns the anchors of headings, as the repository host creates them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const taken = [...anchors].filter((one) => one.replace(/-\d+$/, '') === anchor).length
    anchors.add(anchors.has(anchor) ? `${anchor}-${taken}` : anchor)
  }
  return anchors
}
