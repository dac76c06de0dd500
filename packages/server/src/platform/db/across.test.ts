import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../../..')
const source = 'packages/server/src'
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

/**
 * Only platform/open.ts, main.ts, worker.ts, api.ts and each domain.ts pass on the database that sees every
 * organization; `npm run imports` keeps its owner, the platform, from all other files. The documentation lists who
 * receives it, and why.
 */
test('what sees every organization is listed with its reason, and nothing else does', () => {
  const files = globSync(['*.ts', '*/domain.ts', 'platform/open.ts'], { cwd: join(root, source) })
  const text = files.map((file) => read(join(source, file))).join('\n')
  const handed = [
    ...named(text, /(\w+)\(\s*(?:app, )?(?:\{[^(){}]*)?\bdb\b(?!\.)/g),
    ...named(text, /(\w+)\(database\)/g),
  ]
  const [, section = ''] = read('docs/architecture.md').split('## Isolation of organizations')
  const listed = named(section.split('\n## ')[0] ?? '', /^\| `(\w+)`/gm)
  expect(new Set(handed)).toEqual(new Set(listed))
  expect(listed).toHaveLength(new Set(listed).size)
})
