import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { matchesGlob } from './glob.ts'

test(
  'a glob matches its names',
  everyCase(
    [
      ['main', ['main'], ['main2', 'amain', 'Main', '']],
      ['release/*', ['release/1', 'release/'], ['release', 'release/1/2', 'a/release/1']],
      ['release/**', ['release/1', 'release/1/2'], ['release', 'releases/1']],
      ['*', ['main', ''], ['feature/a']],
      ['**', ['main', 'feature/a/b', ''], []],
      ['src/**/*.ts', ['src/a.ts', 'src/b/a.ts', 'src/b/c/a.ts'], ['src/a.js', 'a.ts', 'xsrc/a.ts', 'src/a.ts/b']],
      ['**/*.tf', ['main.tf', 'a/b/main.tf'], ['main.tfvars', 'main_tf']],
      ['docs**', ['docs', 'docs/a', 'docs-old/b'], ['doc']],
      ['a.b?[c]+(d)', ['a.b?[c]+(d)'], ['axb?[c]+(d)', 'a.b']],
      ['v*.*-*', ['v1.2-rc', 'v.-'], ['v1-2', 'v1.2/x-y']],
      ['*/*', ['a/b', '/'], ['a', 'a/b/c']],
      ['grün-*', ['grün-😀'], ['grun-x']],
    ],
    (pattern, matching, others) => {
      expect(matching.filter((name) => !matchesGlob(pattern, name))).toEqual([])
      expect(others.filter((name) => matchesGlob(pattern, name))).toEqual([])
    },
  ),
)

test('a pattern with many wildcards is matched without backtracking', () => {
  expect(matchesGlob(`${'**a*'.repeat(125)}b`, 'a'.repeat(4_000))).toBe(false)
})
