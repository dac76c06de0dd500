import fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { patchBetween } from './patch.ts'

const step = (id: string, more: object = {}) => ({ id, type: 'command', ...more })

test('a changed value has its previous value, and the names of its parents', () => {
  const before = { steps: [step('plan'), step('deploy', { with: { 'a/b': 1 } })] }
  const after = { steps: [step('plan'), step('deploy', { with: { 'a/b': 2 } })] }
  expect(patchBetween(before, after)).toEqual([
    { op: 'replace', path: '/steps/1/with/a~1b', pathLabel: 'steps › deploy › with › a/b', fromValue: 1, value: 2 },
  ])
})

test('an added or removed value has its value', () => {
  expect(patchBetween({ old: null }, { new: [1] })).toEqual([
    { op: 'remove', path: '/old', pathLabel: 'old', fromValue: null },
    { op: 'add', path: '/new', pathLabel: 'new', value: [1] },
  ])
})

test('an inserted step is one difference, and not one for every following step', () => {
  const before = { steps: [step('a'), step('b')] }
  const after = { steps: [step('first'), step('a'), step('b')] }
  expect(patchBetween(before, after)).toEqual([
    { op: 'add', path: '/steps/0', pathLabel: 'steps › first', value: step('first') },
  ])
})

test('a step that moved and changed has both differences', () => {
  const before = { steps: [step('a'), step('b'), step('c')] }
  const after = { steps: [step('c', { timeout_seconds: 5 }), step('a'), step('b')] }
  expect(patchBetween(before, after)).toEqual([
    { op: 'move', from: '/steps/2', path: '/steps/0', pathLabel: 'steps › c', fromValue: step('c') },
    { op: 'add', path: '/steps/0/timeout_seconds', pathLabel: 'steps › c › timeout_seconds', value: 5 },
  ])
})

test('items without an id are identified by their name or index', () => {
  const labels = patchBetween({ list: [{ name: 'x', a: 1 }, [1]] }, { list: [{ name: 'x', a: 2 }, [2]] })
  expect(labels.map(({ pathLabel }) => pathLabel)).toEqual(['list › x › a', 'list › #2 › #1', 'list › #2 › #1'])
})

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, 0, 1, true, '', 'a', 'b'),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), n: tie('json') }), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('id', 'name', '0', 'a/b', '~', '', 'steps'), tie('json'), { maxKeys: 5 }),
  ),
}))
const config = fc.record({ steps: json, more: json })
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value))

test('the patch, applied by another library, converts one config to the other', () => {
  fc.assert(
    fc.property(config, config, (one, other) => {
      const before = plain(one)
      const after = plain(other)
      const result = plain(before)
      const operations = plain(patchBetween(before, after)) as Operation[]
      expect(applyPatch(result, operations).filter((error) => error !== null)).toEqual([])
      expect(result).toEqual(after)
    }),
    { numRuns: 2_000 },
  )
})

test('equal configs have no difference', () => {
  fc.assert(
    fc.property(config, (one) => {
      expect(patchBetween(plain(one), plain(one))).toEqual([])
    }),
  )
})

test.each([
  ['long lists of other values', numbers(200_000, 'a'), numbers(200_000, 'b')],
  ['a long list backwards', ids(1_000), ids(1_000).reverse()],
  ['lists in lists in lists', nested(60, 1), nested(60, 2)],
])('%s are compared fast', (_what, before, after) => {
  const start = cpuTimeMs()
  expect(patchBetween({ before }, { before: after }).length).toBeGreaterThan(0)
  expect(cpuTimeMs() - start).toBeLessThan(10_000)
})

function numbers(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}

function ids(count: number): { id: string }[] {
  return numbers(count, 'step').map((id) => ({ id }))
}

function nested(depth: number, value: unknown): unknown {
  return depth === 0 ? value : [nested(depth - 1, value)]
}
