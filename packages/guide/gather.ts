/**
 * Gathers the pages of the guide in `pages/`, from where they are written: the folders of `docs` in the repository, and the
 * few documents elsewhere that those lead to. Links are bent to what the pages are called here; files that are no pages,
 * such as templates, come along to be downloaded.
 */
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const target = fileURLToPath(new URL('./pages', import.meta.url))

/** What a document of the repository is called in the guide. */
const pageOf: Readonly<Record<string, string>> = {
  ...Object.fromEntries(globSync('docs/**/*.md', { cwd: root }).map((path) => [path, basename(path)])),
  'docs/README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'packages/cloud-sim/README.md': 'cloud-sim.md',
}

/** Paths of files that pages lead to. */
const files = new Set<string>()

/** The document with its links bent: to pages, or to files to download. What is neither becomes plain text. */
function bend(document: string, path: string): string {
  return document.replaceAll(
    /(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)/g,
    (_, label: string, to: string, anchor = '') => {
      const led = posix.join(dirname(path), to)
      const page = pageOf[led]
      if (page !== undefined) return `[${label}](${page}${anchor})`
      if (!['.yaml', '.tf', '.json'].includes(extname(led))) return label
      files.add(led)
      return `<a href="/docs/guide/${basename(led)}" download>${label}</a>`
    },
  )
}

rmSync(target, { recursive: true, force: true })
mkdirSync(join(target, 'public'), { recursive: true })
for (const [path, page] of Object.entries(pageOf)) {
  const document = bend(readFileSync(join(root, path), 'utf8'), path)
  // What changed once has the words of everything, and would be found first.
  writeFileSync(join(target, page), path === 'CHANGELOG.md' ? `---\nsearch: false\n---\n${document}` : document)
}
for (const file of files) copyFileSync(join(root, file), join(target, 'public', basename(file)))
