import { globSync, readFileSync } from 'node:fs'
import {
  commentsIn,
  draw,
  labelsIn,
  messagesIn,
  namesIn,
  paragraphsIn,
  type Sample,
  type SourceFile,
} from './sample.ts'

// Draws texts for a reader who sees nothing else and says what each means: `node scripts/language-sample/main.ts SEED`,
// with `--places` to print the file of each as well. At most 3 % should be unclear.

const isOurs = (path: string) => !/[.]generated[.]|node_modules|[.]d[.]ts$|[.](?:test|fixture)[.]/.test(path)
const filesOf = (patterns: string[]): SourceFile[] =>
  globSync(patterns)
    .filter(isOurs)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const [seed = '1', ...options] = process.argv.slice(2)
const code = filesOf(['packages/*/{src,demo,crash,storm}/**/*.{ts,tsx}', '{testing,bench,scripts}/**/*.ts'])
const console_ = code.filter(({ path }) => path.startsWith('packages/console/'))

const kinds: [string, number, Sample[]][] = [
  ['Comments', 150, code.flatMap(commentsIn)],
  ['Texts of the console', 60, console_.flatMap(labelsIn)],
  ['Error messages', 40, code.flatMap(messagesIn)],
  ['Paragraphs of the documentation', 30, filesOf(['docs/**/*.md', 'README.md']).flatMap(paragraphsIn)],
  ['Exported names', 100, code.flatMap(namesIn)],
]
for (const [title, count, found] of kinds) {
  process.stdout.write(`\n## ${title}: ${count} of ${found.length}\n\n`)
  for (const [index, { path, text }] of draw(found, count, seed).entries())
    process.stdout.write(`${index + 1}. ${text}${options.includes('--places') ? ` (${path})` : ''}\n`)
}
