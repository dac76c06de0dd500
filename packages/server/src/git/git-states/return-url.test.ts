import { expect, test } from 'vitest'
import { readReturnUrl } from './return-url.ts'

const own = 'https://sluice.example'
const read = (text: string) => readReturnUrl(text, own, ['https://console.example:8443'])

test.each([
  ['/', `${own}/`],
  ['/projects?x=1#y', `${own}/projects?x=1#y`],
  [`${own}/a`, `${own}/a`],
  ['HTTPS://Sluice.Example:443/a', `${own}/a`],
  ['https://console.example:8443/a', 'https://console.example:8443/a'],
])('%s leads to %s', (text, url) => {
  expect(read(text)).toBe(url)
})

test.each([
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
])('%s leads nowhere', (text) => {
  expect([undefined, `${own}/evil.example`]).toContain(read(text))
})
