import { randomInt } from 'node:crypto'

/** No vowels, so that no words come of it, and no letter that looks like another (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** 34 bits: for ten minutes, and for people who are signed in alone, who may not guess often. */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => letters.charAt(randomInt(letters.length)))
    .join('')
    .replace(/^(.{4})/, '$1-')

/** As it was given, however somebody enters it. */
export const normalUserCode = (entered: string): string =>
  entered
    .toUpperCase()
    .replaceAll('-', '')
    .replace(/^(.{4})/, '$1-')
