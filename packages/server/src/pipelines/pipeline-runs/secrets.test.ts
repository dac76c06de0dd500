import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { maskSecrets, secretTexts } from './secrets.ts'

test(
  'a secret is recognized in every form',
  everyCase(
    [
      ['a text', 'hunter2', ['hunter2']],
      ['texts inside', { user: 'ann', tokens: ['t-1234', 't-5678'] }, ['ann', 't-1234', 't-5678']],
      ['lines of a key', '-----BEGIN\nabcd1234\n}\n', ['-----BEGIN\nabcd1234\n}\n', '-----BEGIN', 'abcd1234']],
      ['a number', 4711, ['4711']],
      ['what is no secret', [true, null, ''], []],
    ],
    (_, value, texts) => {
      expect(secretTexts(value)).toEqual(texts)
    },
  ),
)

test('secrets are masked everywhere, longer ones first', () => {
  const value = { url: 'https://x:hunter2@h/hunter2-long', hunter2: [4711, 'no', { a: null }], n: 47110 }
  expect(maskSecrets(value, ['hunter2', 'hunter2-long', '4711'])).toEqual({
    url: 'https://x:***@h/***',
    '***': ['***', 'no', { a: null }],
    n: 47110,
  })
})

test('short secrets are masked only as a complete value', () => {
  expect(maskSecrets(['abc', 'abcdef', 'x'], ['abc', ''])).toEqual(['***', 'abcdef', 'x'])
})

test('without secrets, a value stays the same', () => {
  const value = { a: [1] }
  expect(maskSecrets(value, [])).toBe(value)
})

test('secrets are masked in every common encoding', () => {
  const secret = 'correct "horse"'
  const bytes = Buffer.from(secret)
  const value = [
    bytes.toString('base64'),
    bytes.toString('hex'),
    `?q=${encodeURIComponent(secret)}`,
    JSON.stringify({ secret }),
  ]
  expect(maskSecrets(value, [secret])).toEqual([
    expect.stringMatching(/^\*{3}.?=*$/),
    '***',
    '?q=***',
    '{"secret":"***"}',
  ])
})
