import { expect, test } from 'vitest'
import { ExpressionError } from './errors.ts'
import { renderSensitive } from './render.ts'

/** Renders a value with a sensitive and an ordinary variable. */
function rendered(value: unknown, mayRead = (_path: string) => true) {
  const rootsWith = (reads: (name: string) => void) => ({
    open: 'open',
    vault: {
      get secret() {
        reads('vault.secret')
        return 's3cret'
      },
    },
  })
  return renderSensitive(value, { rootsWith, mayRead }, 'here')
}

test('each template is sensitive or not, independently of others', () => {
  expect(rendered({ a: '<< upper(vault.secret) >>', b: '<< upper(open) >>', c: ['x-<< vault.secret[1:] >>'] })).toEqual(
    {
      value: { a: 'S3CRET', b: 'OPEN', c: ['x-3cret'] },
      derived: ['S3CRET', '3cret'],
    },
  )
})

test('an expression that reads all members reads the sensitive one', () => {
  for (const template of [
    '<< vault >>',
    '<< toJSON(vault) >>',
    '<< values(vault) >>',
    '<< merge(vault, {a: 1}) >>',
    '<< vault >> .',
  ]) {
    expect(rendered(template).derived, template).toHaveLength(1)
  }
})

test('spread elements are sensitive', () => {
  expect(rendered(['...<< split(vault.secret, "") >>'])).toEqual({ value: [...'s3cret'], derived: [[...'s3cret']] })
})

test('an unpermitted read is reported with its position, even if it only affects a condition', () => {
  const mayRead = (path: string) => path === 'here.a'
  expect(rendered({ a: '<< vault.secret >>' }, mayRead).value).toEqual({ a: 's3cret' })
  const render = () => rendered({ a: '<< vault.secret >>', b: '<< 1 + 1 >>', c: '<< vault.secret ? 1 : 2 >>' }, mayRead)
  expect(render).toThrow(ExpressionError)
  expect(render).toThrow(/^here\.c: vault\.secret is sensitive, and users can see this text \(line 1, column/)
})

test.each(['int', 'float', 'fromJSON'])('the error of %s does not quote sensitive values', (name) => {
  const render = () => rendered(`<< ${name}(vault.secret) >>`)
  expect(render).toThrow(ExpressionError)
  expect(render).not.toThrow(/s3cret/)
})
