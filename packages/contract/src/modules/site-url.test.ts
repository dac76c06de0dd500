import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { sitePath, siteUrl } from './site-url.ts'

const own = 'https://sluice.example'
const allowed = ['https://console.example:8443']
const read = (text: string) => siteUrl(text, own, allowed)?.href

test(
  'paths and URLs of an allowed origin lead to a page',
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

/** URLs that lead, or try to lead, to another origin. */
const foreign = [
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/console/..//evil.example',
  '/./\\evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https://sluice.example.evil.example',
  'https://sluice.example@evil.example',
  'https://evil.example\\@sluice.example',
  'https://me@sluice.example/',
  'http://sluice.example/',
  'https://sluice.example:8443/',
  'https://console.example/',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://sluice.example/1',
  'https://[',
]

test(
  'a URL of another origin never leads away from the service',
  everyCase(foreign, (text) => {
    const url = siteUrl(text, own)
    expect(url === undefined || url.origin === own).toBe(true)
    const path = sitePath(text, own)
    expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
    expect(new URL(path, own).origin).toBe(own)
    expect(path).not.toMatch(/^\/{2}/)
  }),
)

test(
  'the path of a page of the service is returned unchanged',
  everyCase(
    [
      [undefined, '/'],
      ['/projects?x=//y#//z', '/projects?x=//y#//z'],
      ['/console/a//b', '/console/a//b'],
      ['/%2f%2fevil.example', '/%2f%2fevil.example'], // Browsers treat backslashes as slashes.
      [`${own}/a`, '/a'],
      ['a/b', '/a/b'],
      ['/ü', '/%C3%BC'],
    ],
    (text, path) => {
      expect(sitePath(text, own)).toBe(path)
    },
  ),
)
