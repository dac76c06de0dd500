import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const seal = createSeal(randomBytes(32))

test.each(['', 'a', 'ü €'.repeat(1000)])('what was sealed can be opened: case %#', (text) => {
  expect(seal.open(seal.close(text))).toBe(text)
})

test('the same text is never sealed to the same', () => {
  expect(seal.close('a')).not.toBe(seal.close('a'))
})

test('what was changed, or sealed with another key, is not opened', () => {
  const sealed = seal.close('secret')
  const [version = '', iv = '', tag = '', data = ''] = sealed.split('.')
  const flipped = (part: string) => {
    const bytes = Buffer.from(part, 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64url')
  }
  const forgeries = [
    [version, flipped(iv), tag, data],
    [version, iv, flipped(tag), data],
    [version, iv, tag, flipped(data)],
    [version, iv, tag.slice(0, 4), data],
    ['v2', iv, tag, data],
    [version, iv, tag],
  ]
  for (const forgery of forgeries) expect(() => seal.open(forgery.join('.'))).toThrow()
  expect(() => createSeal(randomBytes(32)).open(sealed)).toThrow('SLUICE_ENCRYPTION_KEY')
})
