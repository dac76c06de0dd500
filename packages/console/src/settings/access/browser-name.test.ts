import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { browserName } from './browser-name.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test(
  'a browser is named by its user agent',
  everyCase(
    [
      [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
      [
        `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`,
        'Edge on Windows',
      ],
      ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on macOS'],
      [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webkit} Version/18.0 Safari/604.1`, 'Safari on iOS'],
      ['curl/8.5.0', 'curl/8.5.0'],
      [undefined, 'Unknown'],
    ],
    (userAgent, name) => {
      expect(browserName(userAgent)).toBe(name)
    },
  ),
)
