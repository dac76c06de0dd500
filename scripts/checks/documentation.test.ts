import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { gate, verify } from './suites.ts'

test('CONTRIBUTING.md lists what each suite guards', () => {
  const rows = readFileSync('CONTRIBUTING.md', 'utf8').match(/^\| `[\w-]+` \| .*$/gm) ?? []
  const undocumented = [...gate, ...verify]
    .flat(2)
    .filter(({ name, guards }) => !rows.some((row) => row.startsWith(`| \`${name}\` | ${guards}`)))
  expect(undocumented.map(({ name, guards }) => `| \`${name}\` | ${guards} | … |`)).toEqual([])
})
