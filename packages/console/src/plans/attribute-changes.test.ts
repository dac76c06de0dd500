import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attributeChanges } from './attribute-changes.ts'

test('a created resource lists every attribute with a value', () => {
  const after = { id: '(known after apply)', tags: { team: 'shop' }, ports: [80], note: null, rules: [] }
  expect(attributeChanges(null, after)).toEqual([
    { path: 'id', after: '(known after apply)' },
    { path: 'tags.team', after: 'shop' },
    { path: 'ports[0]', after: 80 },
    { path: 'rules', after: [] },
  ])
})

test('a deleted resource lists every attribute that it had', () => {
  expect(attributeChanges({ name: 'queue', tags: { a: 1 } }, null)).toEqual([
    { path: 'name', before: 'queue' },
    { path: 'tags.a', before: 1 },
  ])
})

test('unchanged attributes are omitted', () => {
  const before = { size: 1, kept: { deep: [1, { same: true }] } }
  expect(attributeChanges(before, { ...structuredClone(before), size: 2 })).toEqual([
    { path: 'size', before: 1, after: 2 },
  ])
})

test('an attribute that changes its type is shown as a whole', () => {
  expect(attributeChanges({ rule: { a: 1 } }, { rule: 'any' })).toEqual([
    { path: 'rule', before: { a: 1 }, after: 'any' },
  ])
  expect(attributeChanges({ rule: [1] }, { rule: { 0: 1 } })).toEqual([{ path: 'rule', before: [1], after: { 0: 1 } }])
})

test('a value and its copy have no differences', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(attributeChanges(value, structuredClone(value))).toEqual([])
    }),
  )
})
