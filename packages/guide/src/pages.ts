import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Name of the page that is made from each document. */
const pageNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(globSync('docs/**/*.md', { cwd: root }).map((path) => [path, htmlName(path)])),
  'docs/README.md': 'index.html',
  'CHANGELOG.md': 'changelog.html',
  'CONTRIBUTING.md': 'contributing.html',
  'packages/cloud-sim/README.md': 'cloud-sim.html',
}

/** A document of the repository, and the page that is made from it. Paths are relative to the root. */
export type Source = {
  path: string
  page: string
  markdown: string
  /** Whether the search finds it. The changelog mentions everything, and would come first for each query. */
  isSearched: boolean
}

export const sources: readonly Source[] = Object.entries(pageNames).map(([path, page]) => ({
  path,
  page,
  markdown: readFileSync(join(root, path), 'utf8'),
  isSearched: path !== 'CHANGELOG.md',
}))

/** Types of files that the guide offers for download. */
const downloadTypes = ['.yaml', '.tf', '.json']

/** Where a link leads: to a page, to a file to download, or to a place that only the repository has. */
export type LinkTarget = { page: string } | { download: string } | undefined

/** Resolves `href`, as the document at `path` has it. Links with a scheme and bare anchors stay as they are. */
export function resolveLink(path: string, href: string): LinkTarget {
  if (/^[a-z]+:|^#/.test(href)) return { page: href }
  const [to = '', anchor] = href.split('#')
  const target = posix.join(dirname(path), to)
  const page = pageNames[target]
  if (page !== undefined) return { page: anchor === undefined ? page : `${page}#${anchor}` }
  return downloadTypes.includes(extname(target)) ? { download: target } : undefined
}

/** Groups of pages, as `docs/README.md` lists them: a heading is a group, a link is a page. */
export type Contents = readonly { title: string; pages: readonly { title: string; page: string }[] }[]

export function contentsOf(markdown: string): Contents {
  const [, ...groups] = markdown.split(/^## /m)
  return groups.map((group) => ({
    title: group.slice(0, group.indexOf('\n')),
    pages: [...group.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].flatMap(([, title = '', href = '']) => {
      const target = resolveLink('docs/README.md', href)
      return target && 'page' in target ? [{ title, page: target.page }] : []
    }),
  }))
}

function htmlName(path: string): string {
  return basename(path).replace(/\.md$/, '.html')
}
