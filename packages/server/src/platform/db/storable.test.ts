import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { storableJson, storableText } from './storable.ts'

test(
  'a text is stored as it is, but for what PostgreSQL cannot store',
  everyCase(
    [
      ['plain', 'plain'],
      ['', ''],
      ['\\u0000', '\\u0000'],
      ['😀', '😀'],
      ['a\0b', 'a\uFFFDb'],
      ['\ud83d', '\uFFFD'],
      ['\ude00\ud83d\0', '\uFFFD\uFFFD\uFFFD'],
    ],
    (text, stored) => {
      expect(storableText(text)).toBe(stored)
    },
  ),
)

test(
  'a value is stored as it is, but for what PostgreSQL cannot store',
  everyCase<[unknown, unknown]>(
    [
      [{ a: ['plain', 1, null, true] }, { a: ['plain', 1, null, true] }],
      ['\\u0000 \\ud800 \\\\', '\\u0000 \\ud800 \\\\'],
      ['\\\0\\\ud800', '\\\uFFFD\\\uFFFD'],
      ['\t"😀"\u001f\u00e9', '\t"😀"\u001f\u00e9'],
      [{ 'a\0': 'b\0' }, { 'a\uFFFD': 'b\uFFFD' }],
      [{ deep: [{ er: '\udfff' }] }, { deep: [{ er: '\uFFFD' }] }],
    ],
    (value, stored) => {
      expect(JSON.parse(storableJson(value))).toEqual(stored)
    },
  ),
)
