import { expect, test } from 'vitest'
import { hideSensitiveVariables } from './shown-input.ts'

test('the values of sensitive variables are masked, including repeated occurrences', () => {
  const inputData = {
    stack: 'network',
    variables: {
      key: 'correct-horse',
      pin: 12,
      unset: null,
      all: { a: 'b' },
      url: 'https://u:correct-horse@h',
      size: 3,
    },
    environment_variables: { TF_VAR_key: 'abc', TF_VAR_pin: { from_parameter_store: '/pin' }, key: 'open' },
  }
  expect(hideSensitiveVariables(inputData, ['key', 'pin', 'unset', 'all'])).toEqual({
    stack: 'network',
    variables: { key: '***', pin: '***', unset: null, all: '***', url: 'https://u:***@h', size: 3 },
    environment_variables: { TF_VAR_key: '***', TF_VAR_pin: { from_parameter_store: '/pin' }, key: 'open' },
  })
})

test('secrets from a file of the source are masked where the file is shown', () => {
  const files = { 'main.tf': 'variable "key" {}', 'terraform.tfvars': 'key = "correct-horse"' }
  expect(hideSensitiveVariables({ source: { files } }, ['key'], ['correct-horse'])).toEqual({
    source: { files: { ...files, 'terraform.tfvars': 'key = "***"' } },
  })
})

test('an input without variables is unchanged', () => {
  expect(hideSensitiveVariables({ stack: 'network', variables: '<< inputs.all >>' }, ['key'])).toEqual({
    stack: 'network',
    variables: '<< inputs.all >>',
  })
})
