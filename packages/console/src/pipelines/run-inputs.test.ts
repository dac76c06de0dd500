import { expect, test } from 'vitest'
import type { RunInput } from './config.ts'
import { formatValue, inputProblem, inputsFromForm } from './run-inputs.ts'

const filled = (fields: Record<string, string>): FormData => {
  const form = new FormData()
  for (const [id, text] of Object.entries(fields)) form.append(`input.${id}`, text)
  return form
}

test('an entry is converted to the declared type', () => {
  const declared: RunInput[] = [
    { id: 'image', type: 'string' },
    { id: 'count', type: 'number' },
    { id: 'loud', type: 'boolean' },
    { id: 'hosts', type: 'string_array' },
    { id: 'more', type: 'object' },
    { id: 'size', type: 'number', values: [1, 2] },
  ]
  const form = filled({ image: ' web:2 ', count: '3', loud: 'false', hosts: 'a\n\n b ', more: '{"x":[1]}', size: '2' })
  expect(inputsFromForm(declared, form)).toEqual({
    inputs: { image: 'web:2', count: 3, loud: false, hosts: ['a', 'b'], more: { x: [1] }, size: 2 },
    faults: {},
  })
})

test('a blank field is omitted, and reported if it is required', () => {
  const declared: RunInput[] = [
    { id: 'image', type: 'string', required: true },
    { id: 'stage', type: 'string', required: true, default: 'test' },
    { id: 'note', type: 'string' },
  ]
  expect(inputsFromForm(declared, filled({ note: ' ' }))).toEqual({
    inputs: {},
    faults: { image: 'This input is required.' },
  })
})

test('an unreadable value is reported at its field', () => {
  const { faults } = inputsFromForm(
    [
      { id: 'count', type: 'number' },
      { id: 'more', type: 'json' },
    ],
    filled({ count: 'three', more: '{' }),
  )
  expect(faults.count).toBe('three is not a number.')
  expect(faults.more).toMatch(/^Invalid JSON/)
})

test('defaults are shown in their fields as typed text', () => {
  expect(formatValue(['a', 'b'], 'string_array')).toBe('a\nb')
  expect(formatValue(['a'], 'array')).toBe('[\n  "a"\n]')
  expect(formatValue(false)).toBe('false')
})

test('a problem from the server is found by its input', () => {
  const items = ['$.data.inputs.images: unknown input', '$.data.inputs.image: required, but missing']
  const error = { code: 'a:b:C', message: 'no', details: [{ title: 'Inputs', render: 'list' as const, items }] }
  expect(inputProblem(error, 'image')).toBe('required, but missing')
  expect(inputProblem(error, 'count')).toBeUndefined()
})
