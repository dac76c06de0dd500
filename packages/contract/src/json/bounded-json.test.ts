import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { parseBoundedJson } from './bounded-json.ts'

const bounds = { maxDepth: 3, maxValues: 5 }

describe('JSON within bounds', () => {
  test('is what JSON.parse makes of it', () => {
    const text = fc.json({ depthSize: 'small' })
    fc.assert(
      fc.property(text, (one) => {
        expect(parseBoundedJson(one)).toEqual(JSON.parse(one))
      }),
    )
  })

  test(
    'ignores characters within strings',
    everyCase(['"[[[[[[[["', '"\\"[[[[[[[["', '"\\\\",[[]]', '{"a,b,c,d,e,f": ",,,,,,"}'], (text) => {
      const wrapped = text.startsWith('{') ? text : `[${text}]`
      expect(parseBoundedJson(wrapped, bounds)).toEqual(JSON.parse(wrapped))
    }),
  )

  test(
    'has no more nesting and values than the limits allow',
    everyCase(
      [
        ['[[[1]]]', undefined],
        ['[[[[1]]]]', 'at most 3 levels'],
        ['{"a":{"b":{"c":{}}}}', 'at most 3 levels'],
        ['[1,2,3,4]', undefined],
        ['[1,2,3,4,5]', 'at most 5 values'],
        ['[[],[],[],[]]', 'at most 5 values'],
      ],
      (text, message) => {
        if (message === undefined) expect(parseBoundedJson(text, bounds)).toEqual(JSON.parse(text))
        else expect(() => parseBoundedJson(text, bounds)).toThrow(message)
      },
    ),
  )

  test('is measured without recursion and in bounded time', () => {
    const deep = 5_000_000
    expect(() => parseBoundedJson('{"a":'.repeat(deep))).toThrow('levels of nesting')
    expect(() => parseBoundedJson(`"${'\\"'.repeat(deep)}`)).toThrow(SyntaxError)
    expect(() => parseBoundedJson(`[${'"a",'.repeat(deep)}"a"]`)).toThrow('values')
  })
})
