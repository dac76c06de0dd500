import { randomBytes, randomInt } from 'node:crypto'

/** `n` URL-safe characters. */
export const urlSafe = (n: number) => randomBytes(n).toString('base64url').slice(0, n)

/** `n` hexadecimal digits. */
export const hex = (n: number) =>
  randomBytes(Math.ceil(n / 2))
    .toString('hex')
    .slice(0, n)

/**
 * A number of `n` digits that does not begin with 0, as a string: 19 digits are more than a JavaScript number holds.
 */
export const digits = (n: number) =>
  Array.from({ length: n }, (_, index) => randomInt(index === 0 ? 1 : 0, 10)).join('')

/** `n` characters of the alphabet in which the cloud writes access key ids. */
export const base32 = (n: number) =>
  Array.from({ length: n }, () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[randomInt(32)]).join('')

/** An id of the content network: `E` or `I`, and 13 characters without those that look alike. */
export const cdnId = (first: 'E' | 'I') => first + base32(13)
