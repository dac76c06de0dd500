import { expect, test } from 'vitest'
import { inputsInALine, runTitle } from './run-title.ts'

test('a run is called by its pipeline and its number, as far as they are known', () => {
  expect(runTitle('Release web', 42)).toBe('Release web #42')
  expect(runTitle('Release web', undefined)).toBe('Release web')
  expect(runTitle(undefined, 42)).toBe('Run #42')
})

test('its inputs stand in a line: what is a word of its own, and no documents', () => {
  const inputs = { stage: 'live', count: 0, dry: false, hosts: ['a'], more: { a: 1 }, none: null, empty: '' }
  expect(inputsInALine(inputs)).toBe('stage live · count 0 · dry false')
  expect(inputsInALine({ text: 'x'.repeat(50) })).toBe(`text ${'x'.repeat(40)}…`)
  expect(inputsInALine({})).toBe('')
})
