import { createCipheriv, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const key = randomBytes(32)
const seal = createSeal([key])

test.each(['', 'a', 'ü €'.repeat(1000)])('an encrypted text can be decrypted: case %#', (text) => {
  expect(seal.open('here', seal.close('here', text))).toBe(text)
})

test('the same text is never encrypted to the same bytes', () => {
  expect(seal.close('here', 'a')).not.toBe(seal.close('here', 'a'))
})

test('a text that was changed, moved, or encrypted with another key is not decrypted', () => {
  const sealed = seal.close('here', 'secret')
  const [version = '', id = '', iv = '', tag = '', data = ''] = sealed.split('.')
  const flipped = (part: string) => {
    const bytes = Buffer.from(part, 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64url')
  }
  const forgeries = [
    [version, flipped(id), iv, tag, data],
    [version, id, flipped(iv), tag, data],
    [version, id, iv, flipped(tag), data],
    [version, id, iv, tag, flipped(data)],
    [version, id, iv, tag.slice(0, 4), data],
    [version, id, iv, tag, data, data],
    ['v1', iv, tag, data],
    ['v3', id, iv, tag, data],
    [version, id, iv, tag],
  ]
  for (const forgery of forgeries) expect(() => seal.open('here', forgery.join('.'))).toThrow()
  expect(() => seal.open('there', sealed)).toThrow('changed or moved')
  expect(() => createSeal([randomBytes(32)]).open('here', sealed)).toThrow('SLUICE_ENCRYPTION_KEYS')
})

test('the first key encrypts, and all decrypt', () => {
  const newer = randomBytes(32)
  const rotated = createSeal([newer, key])
  expect(rotated.open('here', seal.close('here', 'old'))).toBe('old')
  const sealed = rotated.close('here', 'new')
  expect(sealed.startsWith(rotated.prefix)).toBe(true)
  expect(createSeal([newer]).open('here', sealed)).toBe('new')
  expect(() => seal.open('here', sealed)).toThrow('not among those')
})

test('a text in the format without key and location is still decrypted', () => {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const data = Buffer.concat([cipher.update('of 0.2.0'), cipher.final()])
  const sealed = ['v1', ...[iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join('.')
  expect(seal.open('anywhere', sealed)).toBe('of 0.2.0')
  expect(createSeal([randomBytes(32), key]).open('anywhere', sealed)).toBe('of 0.2.0')
})
