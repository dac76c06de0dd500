import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { streamWriter } from './stream-writer.ts'

const versions = new Map([['1'.repeat(32), '2.1.0']])

test(
  'the writer of a log stream is named',
  everyCase(
    [
      ['web/app/0f3c5a1e9b7d4c2fa1b2c3d4e5f60718', 'app 0f3c5a1e'],
      ['app/0f3c5a1e9b7d4c2fa1b2c3d4e5f60718', 'app 0f3c5a1e'],
      [`web/app/${'1'.repeat(32)}`, 'app 11111111 2.1.0'],
      ['2026/03/05/[7]0f3c5a1e9b7d4c2fa1b2c3d4e5f60718', 'version 7'],
      ['2026/03/05/[$LATEST]0f3c', 'version $LATEST'],
      ['i-0123456789abcdef0', undefined],
      ['', undefined],
    ],
    (stream, writer) => {
      expect(streamWriter(stream, versions)).toBe(writer)
    },
  ),
)
