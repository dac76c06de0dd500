import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change } from './plan.ts'
import { faultsMarkdown, planMarkdown } from './print-plan.ts'

const project = (title: string, differences: Change['differences'] = [{ path: 'title', after: title }]): Change => ({
  action: 'create',
  key: 'Project shop',
  fields: ['title'],
  document: { kind: 'Project', name: 'shop', title },
  differences,
})

test('a plan in Markdown is a summary with the changes in a block', () => {
  expect(planMarkdown({ changes: [], unchanged: ['Project shop'] })).toBe('No changes: 1 record is as in the files.\n')
  expect(planMarkdown({ changes: [project('Shop')], unchanged: [] })).toBe(
    [
      '**1 to create, 0 to change, 0 to remove; 0 records are as in the files.**\n',
      '```diff\n+ Project shop\n    title: "Shop"\n```\n',
    ].join('\n'),
  )
})

test('errors in Markdown have their positions', () => {
  const fault = { file: 'shop/web.yaml', line: 4, column: 7, code: 'unknown-kind', message: 'kind: expected one' }
  expect(faultsMarkdown([fault])).toBe(
    '**1 error in the files.**\n\n```text\nshop/web.yaml:4:7: error unknown-kind: kind: expected one\n```\n',
  )
})

test('no text can end the block that contains it, regardless of its length', () => {
  const title = fc.string({ unit: fc.constantFrom('`', '~', '\n', '\u001b', 'a', ' ', '@'), maxLength: 40 })
  fc.assert(
    fc.property(title, fc.integer({ min: 1, max: 3_000 }), (text, times) => {
      const lines = planMarkdown({ changes: [project(text.repeat(times))], unchanged: [] })
        .trimEnd()
        .split('\n')
      const [, , opening, ...inner] = lines
      expect([opening, inner.pop()]).toEqual(['```diff', '```'])
      expect(inner.join('\n')).not.toContain('```')
      expect(lines.join('\n').length).toBeLessThan(51_000)
      expect(inner.join('')).not.toContain('\u001b')
    }),
    { numRuns: 50 },
  )
})
