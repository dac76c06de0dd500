import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { applyInputsOf, planInputsOf } from './plan-inputs.ts'

const plan = {
  variables: { size: { value: 2 }, tags: { value: { team: 'web', cost: null } }, fallback: { value: 'default' } },
  configuration: {
    root_module: { variables: { size: {}, tags: {}, fallback: {}, token: {}, toString: {} } },
  },
}

test(
  'a variable is ephemeral if the configuration declares it and the plan has another value or none',
  everyCase(
    [
      ['token', 'secret', true],
      ['toString', 'secret', true],
      ['fallback', 'secret', true],
      ['fallback', 'default', false],
      ['size', 2, false],
      ['tags', { cost: null, team: 'web' }, false],
      ['undeclared', 'value', false],
      ['constructor', 'value', false],
    ],
    (name, value, isEphemeral) => {
      const { values, ephemeral } = planInputsOf(plan, { variables: { [name]: value }, environment: {} })
      expect(ephemeral.variables).toEqual(isEphemeral ? [name] : [])
      expect(values.variables).toEqual(isEphemeral ? {} : { [name]: value })
    },
  ),
)

test('environment variables are ephemeral only if the configuration declares them', () => {
  const environment = { TF_VAR_token: 'secret', TF_VAR_fallback: 'default', TF_VAR_undeclared: 'x', token: 'y' }
  const { values, ephemeral } = planInputsOf(plan, { variables: {}, environment })
  expect(ephemeral).toEqual({ variables: [], environment: ['TF_VAR_token'] })
  const { TF_VAR_token: _, ...rest } = environment
  expect(values.environment).toEqual(rest)
})

test(
  'a text that the tool converts to the type of the variable is a value of the plan',
  everyCase(
    [
      ['number', 2, '2', false],
      ['bool', true, 'true', false],
      ['list', ['a', 'b'], '["a", "b"]', false],
      ['object as JSON', { team: 'web' }, '{ "team": "web" }', false],
      ['object as an expression', { team: 'web' }, '{ team = "web" }', false],
      ['list as an expression', ['a'], '[\n  "a", # first\n]', false],
      ['a number that the plan does not have', 2, '3', true],
      ['an ephemeral object without a default', undefined, '{ team = "web" }', true],
      ['an ephemeral object with a default', { team: 'default' }, '{ team = "web" }', true],
      ['an ephemeral text with a default', 'default', '{ team = "web" }', true],
    ],
    (_, value, text, isEphemeral) => {
      const settings = { variables: { given: { default: { team: 'default' } } } }
      const file = {
        ...(value !== undefined && { variables: { given: { value } } }),
        configuration: { root_module: settings },
      }
      const environment = { TF_VAR_given: text }
      expect(planInputsOf(file, { variables: {}, environment }).ephemeral.environment).toEqual(
        isEphemeral ? ['TF_VAR_given'] : [],
      )
    },
  ),
)

test('an apply has the values of its plan and the current values of ephemeral variables', () => {
  const given = { variables: { size: 2, token: 'before' }, environment: { TF_VAR_token: 'before', OTHER: 'before' } }
  const now = {
    variables: { size: 3, token: 'after' },
    environment: { TF_VAR_token: 'after', OTHER: 'after', NEW: '1' },
  }
  expect(applyInputsOf(planInputsOf(plan, given), now)).toEqual({
    variables: { size: 2, token: 'after' },
    environment: { TF_VAR_token: 'after', OTHER: 'before' },
  })
})

test('an ephemeral variable without a value is named with the remedy', () => {
  const given = { variables: { token: 'before' }, environment: { TF_VAR_token: 'before' } }
  const apply = () => applyInputsOf(planInputsOf(plan, given), { variables: {}, environment: {} })
  expect(apply).toThrow('with.variables.token, with.environment_variables.TF_VAR_token of its step')
})
