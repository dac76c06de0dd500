import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { readProgramJson, toStorableOutput, toStorableValue } from './storable-value.ts'

const text = 'expected text without NUL characters or lone surrogates'
const name = 'expected a name without NUL characters or lone surrogates'

function readStorable(json: string) {
  const { value, omittedValues } = readProgramJson(json, 'output')
  const stored = toStorableValue(value, { path: 'output' })
  return { value: stored.value, omittedValues: [...omittedValues, ...stored.omittedValues] }
}

test(
  "a program's value is stored without its unstorable parts, which are reported with their paths",
  everyCase<[string, unknown, [path: string, reason: string][]]>(
    [
      ['{"a":[1,"b",null,true]}', { a: [1, 'b', null, true] }, []],
      ['{"a":"x\\u0000y","b":1}', { b: 1 }, [['output.a', text]]],
      ['{"a":[1,"\\ud800"]}', { a: [1, null] }, [['output.a[1]', text]]],
      ['{"a\\u0000":1}', {}, [['output["a\\u0000"]', name]]],
      ['{"a":{"__proto__":{"b":1}}}', { a: {} }, [['output.a.__proto__', 'expected a name other than __proto__']]],
      ['{"a":1,"a":2}', { a: 2 }, [['output.a', 'expected once; the last value is stored']]],
      ['{"a":1e400,"b":12345678901234567890}', { a: '1e400', b: '12345678901234567890' }, []],
    ],
    (json, value, omitted) => {
      const omittedValues = omitted.map(([path, reason]) => ({ path, reason }))
      expect(readStorable(json)).toEqual({ value, omittedValues })
    },
  ),
)

test('nesting is cut at 64 levels', () => {
  for (const depth of [65, 1_000, 200_000]) {
    const { value, omittedValues } = readStorable(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(JSON.stringify(value)).toContain('[[')
    expect(omittedValues).toEqual([
      { path: expect.stringMatching(/^output\.a(\[0\])+$/), reason: 'expected at most 64 levels of nesting' },
    ])
  }
})

test('a placeholder replaces omitted parts', () => {
  const { value } = toStorableValue({ a: ['\0', 1], 'b\0': 2 }, { placeholder: '(not stored)' })
  expect(value).toEqual({ a: ['(not stored)', 1], '(not stored)': 2 })
})

test('a member that exceeds the total size is omitted as a whole', () => {
  const bounds = { maxValues: 10, maxCharacters: 100 }
  const output = { first: 'x'.repeat(90), long: 'y'.repeat(90), many: Array(20).fill(1), last: true }
  const { value, omittedValues } = toStorableOutput(output, 'output', bounds)
  expect(value).toEqual({ first: output.first, last: true })
  expect(omittedValues).toEqual([
    { path: 'output.long', reason: 'expected at most 100 characters in total' },
    { path: 'output.many', reason: 'expected at most 10 values in total' },
  ])
})

test('the length and the number of paths are bounded', () => {
  const long = 'n'.repeat(100_000)
  const { omittedValues } = toStorableValue(Array(5_000).fill({ [long]: '\0' }))
  expect(omittedValues).toHaveLength(1_000)
  expect(omittedValues[0]?.path.length).toBeLessThan(600)
})

test('a storable value is returned unchanged', () => {
  const storable = fc.jsonValue().filter((value) => !/\\u(0000|d[89a-f])|__proto__|e\+/i.test(JSON.stringify(value)))
  fc.assert(
    fc.property(storable, (value) => {
      fc.pre(toStorableValue(value).omittedValues.length === 0)
      expect(toStorableValue(value).value).toBe(value)
    }),
  )
})
