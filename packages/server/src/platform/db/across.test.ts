import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../../../..', path), 'utf8')
const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

/**
 * The database that sees every organization is handed out in main.ts, worker.ts and api.ts alone; all else gets that
 * of one organization. Whoever is handed it stands in the documentation, with the reason.
 */
test('what sees every organization is listed with its reason, and nothing else does', () => {
  const main = ['main', 'worker'].map((file) => read(`packages/server/src/${file}.ts`)).join('\n')
  const api = read('packages/server/src/api.ts')
  const handed = [
    ...named(main, /(\w+)\((?:app, )?(?:\{[^(){}]*)?\bdb\b(?!\.)/g),
    ...named(main, /(\w+)\(database\)/g),
    ...named(api, /(\w+)\(app, (?:\{ \.\.\.)?everywhere/g),
  ]
  const [, section = ''] = read('docs/architecture.md').split('## The walls between organizations')
  const listed = named(section.split('\n## ')[0] ?? '', /^\| `(\w+)`/gm)
  expect(new Set(handed)).toEqual(new Set(listed))
  expect(listed).toHaveLength(new Set(listed).size)
})
