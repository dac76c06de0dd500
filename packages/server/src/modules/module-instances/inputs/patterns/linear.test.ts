import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import { isPlain, linear } from './linear.ts'

/** Typical patterns of modules. */
const corpus = [
  '^[a-z][a-z0-9-]{0,61}[a-z0-9]$',
  '^/',
  '^arn:aws[a-z-]*:iam::\\d{12}:role/.+$',
  '^(?:\\d{1,3}\\.){3}\\d{1,3}/\\d{1,2}$',
  '^cron\\(.*\\)$|^rate\\(\\d+ (?:minutes?|hours?|days?)\\)$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
  '^https?://[^\\s/]+(?:/\\S*)?$',
  '^(a+)+$',
  '\\bprod\\b',
  '^\\s*$',
  '^(?<name>[A-Z]+)_\\d{2,}$',
  '^[^<>&"\\\\]*?$',
  '^v?\\d+\\.\\d+\\.\\d+(?:-[\\dA-Za-z.-]+)?$',
  '^$|^\\u00e9+$',
  '[\\t\\x20-\\x7e]+',
  '^(|a|b.c)+?$',
]

describe('a pattern that both engines accept has the same result in both', () => {
  const texts = [
    ...[
      '',
      'a',
      '\n',
      'a\n',
      '\na',
      'aaaa!',
      'prod',
      'non-prod x',
      '\u2028',
      'a\u00a0b',
      '\ufeff',
      '\v',
      'é',
      'ſ',
      'K',
    ],
    ...[
      '/x',
      '10.0.0.0/8',
      'arn:aws:iam::123456789012:role/x',
      'rate(5 minutes)',
      'me@example.com',
      'AB_12',
      'v1.2.3-rc.1',
    ],
  ]
  test(
    'for every text',
    everyCase(corpus, (pattern) => {
      const engine = linear(pattern)?.compiled()
      for (const text of texts) expect([text, engine?.test(text)]).toEqual([text, new RegExp(pattern).test(text)])
    }),
  )

  const atom = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      '-',
      '/',
      ' ',
      'é',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\D',
      '\\W',
      '\\S',
      '\\.',
      '\\n',
      '\\v',
      '\\x41',
      '\\u2028',
    ),
    fc.constantFrom(
      '[ab]',
      '[^a]',
      '[a-c]',
      '[\\w-]',
      '[^\\s]',
      '[]a]',
      '[^]',
      '[a\\]-]',
      '[.$]',
      '[\\d-a]',
      '(?=a)',
      '\\1',
    ),
  )
  const anchor = fc.constantFrom('^', '$', '\\b', '\\B', '')
  const times = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{0,2}', '{1,}', '{,2}', '{', '{2}?')
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc
        .tuple(fc.constantFrom('(', '(?:', '(?<n>', '(?!'), tie('pattern'))
        .map(([open, inside]) => `${open}${inside})`),
    ),
    pattern: fc
      .array(fc.tuple(anchor, tie('part'), times, fc.constantFrom('', '', '', '|')), { maxLength: 4 })
      .map((parts) => parts.flat().join('')),
  }))
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      'c',
      'A',
      '1',
      '_',
      '-',
      '/',
      ' ',
      '\n',
      '\r',
      '\v',
      '\u2028',
      '\u00a0',
      'é',
      '.',
      ']',
      '😀',
    ),
    maxLength: 12,
  })

  test('for randomly generated patterns', () => {
    let taken = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        let expression: RegExp
        try {
          expression = new RegExp(source)
        } catch {
          return // rejected at publication
        }
        const engine = linear(source)?.compiled()
        if (!engine) return
        taken += 1
        for (const one of texts.filter(isPlain)) expect([one, engine.test(one)]).toEqual([one, expression.test(one)])
      }),
      { numRuns: 5_000 },
    )
    expect(taken).toBeGreaterThan(1_000)
  })
})

test(
  'an unsupported pattern is left to JavaScript',
  everyCase(
    ['(?=a)b', '(?!a)', '(?<=a)b', '(a)\\1', '[]', '[^]', '\\cA', 'a{1', '😀', '[\\w-z]', '(?:[a-z]{1,900}){9}'],
    (pattern) => expect(linear(pattern)).toBeUndefined(),
  ),
)
