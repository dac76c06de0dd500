/**
 * Checks the documentation: wording, links, and the form of pages. `npm run lint:docs`, with pages as arguments to check
 * only those.
 */
import { globSync, readFileSync } from 'node:fs'
import { checkForm, checkLinks, maxPages } from './pages.ts'
import { checkProse } from './prose.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const guide = globSync('docs/**/*.md').toSorted()
const others = globSync(['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', '{packages,deploy}/*/README.md'])
const pages = ['README.md', ...guide, ...others]
const chosen = process.argv.length > 2 ? process.argv.slice(2) : pages

const isProse = (page: string) => !others.includes(page)

const problems: string[] = []
for (const page of chosen) {
  const text = read(page)
  const wording = isProse(page) ? await checkProse(text) : []
  const findings = [...checkForm(page, text), ...checkLinks(page, read), ...wording]
  for (const { line, message } of findings) problems.push(`${page}:${line}: ${message}`)
}
if (guide.length > maxPages) problems.push(`docs: ${guide.length} pages, at most ${maxPages}`)

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
