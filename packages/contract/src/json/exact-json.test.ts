import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { parseExactJson } from './exact-json.ts'

test(
  'a number stays a number if JavaScript can represent it, otherwise it becomes text',
  everyCase(
    [
      ['0', 0],
      ['-7', -7],
      ['0.1', 0.1],
      ['1.10', 1.1],
      ['1e3', 1000],
      ['5e-324', 5e-324],
      ['9007199254740991', 9007199254740991],
      ['9007199254740992', '9007199254740992'],
      ['-9007199254740993', '-9007199254740993'],
      ['12345678901234567890', '12345678901234567890'],
      ['1e21', '1e21'],
      ['1e400', '1e400'],
      ['-1E400', '-1E400'],
      ['1e-400', '1e-400'],
      ['0e99999', 0],
      ['0.10000000000000001', '0.10000000000000001'],
      ['3.14159265358979323846', '3.14159265358979323846'],
      ['123456789.123456789', '123456789.123456789'],
    ],
    (text, value) => {
      expect(parseExactJson(`{"a":[${text} , 1]}`)).toEqual({ a: [value, 1] })
    },
  ),
)

test('everything else stays unchanged', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'small' }), (text) => {
      const isBeyond = (one: unknown) => typeof one === 'number' && Number.isInteger(one) && !Number.isSafeInteger(one)
      const expected = JSON.parse(text, (_, one) => (isBeyond(one) ? JSON.stringify(one) : one))
      expect(parseExactJson(text)).toEqual(expected)
    }),
  )
  const strings = '{"1e400":"12345678901234567890","\\"1e400":"\\\\","__proto__":1}'
  expect(parseExactJson(strings)).toEqual(JSON.parse(strings))
})

test(
  'invalid JSON is rejected, even if it would be valid with its numbers as text',
  everyCase(['{12345678901234567890:1}', '[1e400', '1e400 1e400', '01234567890123456789', ''], (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  }),
)

test('a number of any length is parsed in bounded time', () => {
  const zeros = '0'.repeat(2_000_000)
  expect(parseExactJson(`[1.${zeros}1, ${'1'.repeat(2_000_000)}]`)).toEqual([`1.${zeros}1`, '1'.repeat(2_000_000)])
})
