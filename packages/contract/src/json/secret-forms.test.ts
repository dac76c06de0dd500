import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { secretForms } from './secret-forms.ts'

const secret = 'pä$s/w+"rd \\ 1'

const hidden = (text: string) => secretForms(secret).some((form) => text.includes(form))

describe('a secret is recognized', () => {
  test(
    'in every encoding',
    everyCase(
      [
        ['unencoded', `a ${secret} b`],
        ['in hexadecimal', Buffer.from(`x${secret}y`).toString('hex')],
        ['in upper-case hexadecimal', Buffer.from(`x${secret}y`).toString('hex').toUpperCase()],
        ['in a URL', `https://example.com/?q=${encodeURIComponent(secret)}`],
        ['in a form', new URLSearchParams({ q: secret }).toString().replaceAll('%21', '!')],
        ['in JSON', JSON.stringify({ secret })],
      ],
      (_, text) => expect(hidden(text)).toBe(true),
    ),
  )

  test('in base64 at any offset', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const bytes = Buffer.from(before + secret + after)
        expect(hidden(bytes.toString('base64'))).toBe(true)
        expect(hidden(bytes.toString('base64url'))).toBe(true)
      }),
    )
  })
})

test('lone surrogates have forms, and short texts have none', () => {
  expect(secretForms('\ud800long')).toContain('%EF%BF%BDlong')
  expect(secretForms('abc')).toEqual([])
})
