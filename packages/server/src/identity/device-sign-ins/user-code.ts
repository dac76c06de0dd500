import { randomInt } from 'node:crypto'

/** Consonants only, to avoid words and look-alike letters (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** Generates a user code of 34 bits, enough for ten minutes with rate-limited guesses by signed-in users. */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => letters.charAt(randomInt(letters.length)))
    .join('')
    .replace(/^(.{4})/, '$1-')

/** Normalizes a user code as typed. */
export const normalizeUserCode = (entered: string): string =>
  entered
    .toUpperCase()
    .replaceAll('-', '')
    .replace(/^(.{4})/, '$1-')
