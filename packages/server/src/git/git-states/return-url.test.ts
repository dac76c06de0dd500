import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { readReturnUrl } from './return-url.ts'

const own = 'https://sluice.example'
const read = (text: string) => readReturnUrl(text, own, ['https://console.example:8443'])

test(
  'a relative path leads to a page of the console',
  everyCase(
    [
      ['/', `${own}/`],
      ['/projects?x=1#y', `${own}/projects?x=1#y`],
      [`${own}/a`, `${own}/a`],
      ['HTTPS://Sluice.Example:443/a', `${own}/a`],
      ['https://console.example:8443/a', 'https://console.example:8443/a'],
    ],
    (text, url) => {
      expect(read(text)).toBe(url)
    },
  ),
)

test(
  'a foreign or malformed URL is not a return URL',
  everyCase(
    [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      'https:evil.example',
      'https://sluice.example.evil.example',
      'https://sluice.example@evil.example',
      'https://me@sluice.example/',
      'http://sluice.example/',
      'https://sluice.example:8443/',
      'https://console.example/',
      'javascript:alert(1)',
      'data:text/html,x',
    ],
    (text) => {
      expect([undefined, `${own}/evil.example`]).toContain(read(text))
    },
  ),
)
