import { expect, test } from 'vitest'
import { runTitle, summarizeInputs } from './run-title.ts'

test('a run is titled by its pipeline and number, as far as they are loaded', () => {
  expect(runTitle('Release web', 42)).toBe('Release web #42')
  expect(runTitle('Release web', undefined)).toBe('Release web')
  expect(runTitle(undefined, 42)).toBe('Run #42')
})

test('a summary of inputs includes scalars only', () => {
  const inputs = { stage: 'live', count: 0, dry: false, hosts: ['a'], more: { a: 1 }, none: null, empty: '' }
  expect(summarizeInputs(inputs)).toBe('stage live · count 0 · dry false')
  expect(summarizeInputs({ text: 'x'.repeat(50) })).toBe(`text ${'x'.repeat(40)}…`)
  expect(summarizeInputs({})).toBe('')
})
