import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { invalidationPath } from './content-network.ts'

test(
  'invalidation paths are percent-encoded only where CloudFront requires it',
  everyCase(
    [
      ['/*', '/*'],
      ['/index.html?lang=en&page=2', '/index.html?lang=en&page=2'],
      ["/a(1)'s,@b:c;d=e+f!$", "/a(1)'s,@b:c;d=e+f!$"],
      ['/preise/übersicht/*', '/preise/%C3%BCbersicht/*'],
      ['/日本/😀', '/%E6%97%A5%E6%9C%AC/%F0%9F%98%80'],
      ['/a b', '/a%20b'],
      ['/a%20b/%C3%BC', '/a%20b/%C3%BC'],
      ['/50%', '/50%25'],
      ['/a[1]{2}|"<x>`^\\#.html', '/a%5B1%5D%7B2%7D%7C%22%3Cx%3E%60%5E%5C%23.html'],
    ],
    (path, expected) => {
      expect(invalidationPath(path)).toBe(expected)
      expect(invalidationPath(expected), 'encoded again').toBe(expected)
    },
  ),
)
