const later = () => Math.floor(Date.now() / 1_000) + 3_600

/** Claims that no honest issuer sends and that PostgreSQL may reject. Each makes a token invalid. */
export const hostileClaims: [string, () => Record<string, unknown>][] = [
  ['an empty subject', () => ({ sub: '' })],
  ['a subject of spaces', () => ({ sub: '  ' })],
  ['a subject that is a number', () => ({ sub: 1 })],
  ['a subject that is an object', () => ({ sub: { toString: 'ada' } })],
  ['a subject with NUL', () => ({ sub: 'ada\0' })],
  ['a subject with half a character', () => ({ sub: 'ada\ud800' })],
  ['a subject that no index takes', () => ({ sub: 'ä'.repeat(1_500) })],
  ['a time in the future', () => ({ iat: later(), exp: later() + 60 })],
  ['a time far in the future', () => ({ iat: 1e15, exp: 1e15 + 60 })],
  ['a time beyond all dates', () => ({ iat: 1e300, exp: 1e300 })],
  ['a time that is text', () => ({ iat: 'now' })],
  ['an end that is text', () => ({ exp: 'never' })],
  ['an email with NUL', () => ({ email: 'ada\0@example.com' })],
  ['a name with NUL', () => ({ name: 'Ada\0' })],
  ['a name with half a character', () => ({ name: '\udc00Ada' })],
  ['a group with NUL', () => ({ groups: ['ops\0'] })],
  ['a group with half a character', () => ({ groups: ['\ud800'] })],
  ['a token id with NUL', () => ({ jti: 'a\0' })],
  ['a token id that is a number', () => ({ jti: 7 })],
  ['a session id with NUL', () => ({ sid: 'a\0' })],
  ['a session id that is a list', () => ({ sid: ['a'] })],
  ['a session id without end', () => ({ sid: 'a'.repeat(3_000) })],
  ['a name of a claim with NUL', () => ({ 'a\0': true })],
  ['claims within claims without end', () => ({ deep: JSON.parse('['.repeat(500) + ']'.repeat(500)) })],
]
