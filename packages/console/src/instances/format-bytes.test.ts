import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { formatBytes } from './format-bytes.ts'

test(
  'a number of bytes is shown with its unit',
  everyCase(
    [
      [0, '0 B'],
      [1023, '1023 B'],
      [1024, '1.0 KiB'],
      [1_500_000, '1.4 MiB'],
      [5 * 1024 ** 4, '5120.0 GiB'],
    ],
    (bytes, words) => {
      expect(formatBytes(bytes)).toBe(words)
    },
  ),
)
