import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { impactOn } from './impact.ts'
import { nextVersion } from './next-version.ts'

const config = (...inputs: object[]) => ({ inputs: inputs.map((one) => ({ type: 'string', label: 'Label', ...one })) })
const nothing = { needed: [], lost: [], changed: [] }

test('the same config means nothing', () => {
  const same = config({ id: 'a', required: true }, { id: 'b', default: 1 })
  expect(impactOn({ input: { a: 'x' } }, same, same)).toEqual(nothing)
})

test('a new input that must be given is needed, but not where it has a default or is there already', () => {
  const after = config({ id: 'a', required: true }, { id: 'b', required: true, default: 'x' }, { id: 'c' })
  expect(impactOn({ input: {} }, config(), after)).toEqual({ ...nothing, needed: ['a'] })
  expect(impactOn({ input: { a: 'x' } }, config(), after)).toEqual(nothing)
})

test('an input that goes is lost where something was given', () => {
  const before = config({ id: 'a' }, { id: 'b' })
  expect(impactOn({ input: { a: 'x' } }, before, config())).toEqual({ ...nothing, lost: ['a'] })
})

test('another default changes the value where none was given, also behind a reference', () => {
  const input = (value: string) =>
    config({
      id: 'net',
      type: '$ref:network',
      mapped_inputs: [{ id: 'subnets', type: 'string', label: '', default: value }],
    })
  expect(impactOn({ input: {} }, input('a'), input('b'))).toEqual({ ...nothing, changed: ['subnets'] })
  expect(impactOn({ input: { subnets: 'x' } }, input('a'), input('b'))).toEqual(nothing)
})

test('a section has no value, and what is half written counts for nothing', () => {
  expect(impactOn({ input: {} }, { inputs: 'x' }, config({ id: 's', type: 'section', required: true }))).toEqual(
    nothing,
  )
  expect(impactOn({ input: {} }, config(), { inputs: [null, 'a', { label: 'no id' }] })).toEqual(nothing)
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
