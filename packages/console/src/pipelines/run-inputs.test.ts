import { expect, test } from 'vitest'
import type { RunInput } from './config.ts'
import { faultOf, inputsOf, textOfValue } from './run-inputs.ts'

const filled = (fields: Record<string, string>): FormData => {
  const form = new FormData()
  for (const [id, text] of Object.entries(fields)) form.append(`input.${id}`, text)
  return form
}

test('what is typed becomes a value of the declared type', () => {
  const declared: RunInput[] = [
    { id: 'image', type: 'string' },
    { id: 'count', type: 'number' },
    { id: 'loud', type: 'boolean' },
    { id: 'hosts', type: 'string_array' },
    { id: 'more', type: 'object' },
    { id: 'size', type: 'number', values: [1, 2] },
  ]
  const form = filled({ image: ' web:2 ', count: '3', loud: 'false', hosts: 'a\n\n b ', more: '{"x":[1]}', size: '2' })
  expect(inputsOf(declared, form)).toEqual({
    inputs: { image: 'web:2', count: 3, loud: false, hosts: ['a', 'b'], more: { x: [1] }, size: 2 },
    faults: {},
  })
})

test('what is left blank is not given, and missed where a run must have it', () => {
  const declared: RunInput[] = [
    { id: 'image', type: 'string', required: true },
    { id: 'stage', type: 'string', required: true, default: 'test' },
    { id: 'note', type: 'string' },
  ]
  expect(inputsOf(declared, filled({ note: ' ' }))).toEqual({
    inputs: {},
    faults: { image: 'This input is required.' },
  })
})

test('what cannot be read is told at its field', () => {
  const { faults } = inputsOf(
    [
      { id: 'count', type: 'number' },
      { id: 'more', type: 'json' },
    ],
    filled({ count: 'three', more: '{' }),
  )
  expect(faults.count).toBe('three is not a number.')
  expect(faults.more).toMatch(/^Invalid JSON/)
})

test('defaults stand in their fields as they would be typed', () => {
  expect(textOfValue(['a', 'b'], 'string_array')).toBe('a\nb')
  expect(textOfValue(['a'], 'array')).toBe('[\n  "a"\n]')
  expect(textOfValue(false)).toBe('false')
})

test('a fault that the service tells is found by the input that it is about', () => {
  const items = ['$.data.inputs.images: expected nothing', '$.data.inputs.image: expected a value, it is required']
  const error = { code: 'a:b:C', message: 'no', details: [{ title: 'Inputs', render: 'list' as const, items }] }
  expect(faultOf(error, 'image')).toBe('expected a value, it is required')
  expect(faultOf(error, 'count')).toBeUndefined()
})
