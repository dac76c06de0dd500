import { expect, test } from 'vitest'
import { bytesInWords } from './bytes-in-words.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1_500_000, '1.4 MiB'],
  [5 * 1024 ** 4, '5120.0 GiB'],
])('%d bytes are %s', (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words)
})
