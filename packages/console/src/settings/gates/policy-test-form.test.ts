import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { testFields, testsFromForm, validateTestInput } from './policy-test-form.ts'

test('the tests of a policy are read in order, each with its own fields', () => {
  const form = new FormData()
  for (const [name, given, expected] of [
    [' latest ', '{"deployment": {"images": [{"tag": "latest"}]}}', 'VIOLATED'],
    ['a version', '{}', 'ALLOWED'],
  ] as const) {
    form.append(testFields.name, name)
    form.append(testFields.given, given)
    form.append(testFields.expect, expected)
  }
  expect(testsFromForm(form)).toEqual([
    { name: 'latest', given: { deployment: { images: [{ tag: 'latest' }] } }, expect: 'VIOLATED' },
    { name: 'a version', given: {}, expect: 'ALLOWED' },
  ])
  expect(testsFromForm(new FormData())).toEqual([])
})

test(
  'the data of a policy test must be a JSON object',
  everyCase(
    [
      ['{"plan": {}}', /^$/],
      ['[1]', /object/],
      ['null', /object/],
      ['{plan', /^Invalid JSON/],
    ],
    (text, fault) => {
      expect(validateTestInput(text)).toMatch(fault)
    },
  ),
)
