import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

const password = 'correct horse battery staple'

test('a password is stored as a salted argon2id hash that only it matches', async () => {
  const hash = await hashPassword(password)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await hashPassword(password)).not.toBe(hash)
  expect(await verifyPassword(password, hash)).toBe(true)
  expect(await verifyPassword(`${password} `, hash)).toBe(false)
  expect(await verifyPassword('', hash)).toBe(false)
})

test('a hash of another program with other parameters is verified with those parameters', async () => {
  // From the tests of the argon2 reference implementation (P-H-C/phc-winner-argon2, src/test.c).
  const foreign = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  expect(await verifyPassword('password', foreign)).toBe(true)
  expect(await verifyPassword('Password', foreign)).toBe(false)
})

test('the same text in another Unicode form is the same password', async () => {
  const hash = await hashPassword('Gr\u00fc\u00dfe aus K\u00f6ln')
  expect(await verifyPassword('Gru\u0308\u00dfe aus Ko\u0308ln', hash)).toBe(true)
})

test('without a hash, no password is right', async () => {
  expect(await verifyPassword(password, undefined)).toBe(false)
  expect(await verifyPassword('', undefined)).toBe(false)
})

test('a hash in an unknown format is an error, not a wrong password', async () => {
  await expect(verifyPassword(password, 'plain')).rejects.toThrow('argon2id')
})
