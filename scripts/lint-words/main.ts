import { globSync, readFileSync } from 'node:fs'
import { checkCode } from './code.ts'

// Finds phrases of the dialect in the code, with the terms to use instead: `npm run lint:words`, or with files as
// arguments only in those. docs/glossary.md lists the terms.

const everything = [
  'packages/*/{src,demo,crash,storm,cluster,hostile,checks}/**/*.{ts,tsx}',
  '{testing,e2e,bench,scripts,deploy}/**/*.ts',
]
const isOurs = (path: string) => !/[.]generated[.]|node_modules|[.]d[.]ts$|^scripts\/lint-/.test(path)
const chosen = process.argv.length > 2 ? process.argv.slice(2) : globSync(everything).filter(isOurs).toSorted()

const problems = chosen.flatMap((path) =>
  checkCode(readFileSync(path, 'utf8')).map(({ line, message }) => `${path}:${line}: ${message}`),
)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
