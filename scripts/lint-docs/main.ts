/**
 * Checks the documentation: wording, links, and the form of pages. `npm run lint:docs`, with pages as arguments to check
 * only those.
 */
import { globSync, readFileSync } from 'node:fs'
import { allowed } from './exceptions.ts'
import { checkForm, checkLinks, maxPages } from './pages.ts'
import { checkProse, type Finding } from './prose.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const guide = globSync('docs/**/*.md').toSorted()
const others = globSync(['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', '{packages,deploy}/*/README.md'])
const pages = ['README.md', ...guide, ...others]
const chosen = process.argv.length > 2 ? process.argv.slice(2) : pages

/** Exceptions without a finding are reported, so that the list stays current. */
const unused = new Set(allowed)

const isAllowed = (page: string, { message }: Finding): boolean => {
  const exception = allowed.find((one) => one.page === page && message.includes(one.found))
  if (exception) unused.delete(exception)
  return exception !== undefined
}

const isProse = (page: string) => !others.includes(page)

const problems: string[] = []
for (const page of chosen) {
  const text = read(page)
  const wording = isProse(page) ? await checkProse(text) : []
  const findings = [...checkForm(page, text), ...checkLinks(page, read), ...wording]
  for (const finding of findings.filter((one) => !isAllowed(page, one))) {
    problems.push(`${page}:${finding.line}: ${finding.message}`)
  }
}
if (guide.length > maxPages) problems.push(`docs: ${guide.length} pages, at most ${maxPages}`)
if (chosen === pages) {
  for (const { page, found } of unused) problems.push(`exceptions.ts: nothing in ${page} matches "${found}"`)
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
