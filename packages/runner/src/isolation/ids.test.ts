import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { parseIdRange } from './ids.ts'

test(
  'the ID range of a user is parsed from /etc/subuid',
  everyCase(
    [
      ['', undefined],
      ['ada:100000:65536\n', 100_000],
      ['bob:100000:65536\n', undefined],
      ['1001:100000:65536', 100_000],
      ['ada:100000:10\nada:200000:65536\n# ada:1:65536', 200_000],
      ['ada:0:65536\nada:many:65536\nada:300000:many', undefined],
    ],
    (text, first) => {
      expect(parseIdRange(text, ['ada', '1001'])).toBe(first)
    },
  ),
)
