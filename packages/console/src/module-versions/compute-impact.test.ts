import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { upgradeImpact } from './compute-impact.ts'
import { nextVersion } from './next-version.ts'

const config = (...inputs: object[]) => ({ inputs: inputs.map((one) => ({ type: 'string', label: 'Label', ...one })) })
const nothing = { needed: [], lost: [], changed: [] }

test('the same configuration has no impact', () => {
  const same = config({ id: 'a', required: true }, { id: 'b', default: 1 })
  expect(upgradeImpact({ input: { a: 'x' } }, same, same)).toEqual(nothing)
})

test('a new required input needs a value unless it has a default or a value', () => {
  const after = config({ id: 'a', required: true }, { id: 'b', required: true, default: 'x' }, { id: 'c' })
  expect(upgradeImpact({ input: {} }, config(), after)).toEqual({ ...nothing, needed: ['a'] })
  expect(upgradeImpact({ input: { a: 'x' } }, config(), after)).toEqual(nothing)
})

test('the value of a removed input is lost', () => {
  const before = config({ id: 'a' }, { id: 'b' })
  expect(upgradeImpact({ input: { a: 'x' } }, before, config())).toEqual({ ...nothing, lost: ['a'] })
})

test('a new default changes an unset value, also behind a reference', () => {
  const input = (value: string) =>
    config({
      id: 'net',
      type: '$ref:network',
      mapped_inputs: [{ id: 'subnets', type: 'string', label: '', default: value }],
    })
  expect(upgradeImpact({ input: {} }, input('a'), input('b'))).toEqual({ ...nothing, changed: ['subnets'] })
  expect(upgradeImpact({ input: { subnets: 'x' } }, input('a'), input('b'))).toEqual(nothing)
})

test('headings have no value, and incomplete inputs are ignored', () => {
  expect(upgradeImpact({ input: {} }, { inputs: 'x' }, config({ id: 's', type: 'section', required: true }))).toEqual(
    nothing,
  )
  expect(upgradeImpact({ input: {} }, config(), { inputs: [null, 'a', { label: 'no id' }] })).toEqual(nothing)
})

test(
  'the next version is suggested',
  everyCase(
    [
      [undefined, '1.0.0'],
      ['1.4.2', '1.5.0'],
      ['2.0.0-rc.1', '2.1.0'],
      ['0.0.9', '0.1.0'],
    ],
    (latest, next) => expect(nextVersion(latest)).toBe(next),
  ),
)
