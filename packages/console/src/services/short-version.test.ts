import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { shortVersion } from './short-version.ts'

test(
  'commits and digests are abbreviated like at Git hosts, other versions are not',
  everyCase<[string, string]>(
    [
      ['9fceb02d0ae598e95dc970b74767f19372d61af8', '9fceb02'],
      ['sha256:9fceb02d0ae598e95dc970b74767f19372d61af8', '9fceb02'],
      ['2.19.0', '2.19.0'],
      ['2026-11-30.4', '2026-11-30.4'],
      ['9fceb02', '9fceb02'],
    ],
    (version, short) => expect(shortVersion(version)).toBe(short),
  ),
)
