import { randomBytes, randomInt } from 'node:crypto'

/** Returns `n` random URL-safe characters. */
export const urlSafe = (n: number) => randomBytes(n).toString('base64url').slice(0, n)

/** Returns `n` random hexadecimal digits. */
export const hex = (n: number) =>
  randomBytes(Math.ceil(n / 2))
    .toString('hex')
    .slice(0, n)

/** Returns `n` random digits without a leading 0, as a string, because 19 digits exceed JavaScript's safe integers. */
export const digits = (n: number) =>
  Array.from({ length: n }, (_, index) => randomInt(index === 0 ? 1 : 0, 10)).join('')

/** Returns `n` random characters of the alphabet of access key ids. */
export const base32 = (n: number) =>
  Array.from({ length: n }, () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[randomInt(32)]).join('')

/** Returns a CloudFront id: `E` or `I` and 13 characters. */
export const cdnId = (first: 'E' | 'I') => first + base32(13)
