import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

const given = { SLUICE_URL: 'https://sluice.example.com/', SLUICE_RUNNER_TOKEN: 'token' }

test.each([
  [undefined, 10_240],
  ['', 10_240],
  ['0', 0],
  ['512', 512],
])('with SLUICE_RUNNER_LAYERS_MIB=%s it keeps %i MiB of layers', (text, miB) => {
  expect(readSettings({ ...given, SLUICE_RUNNER_LAYERS_MIB: text }).layerBytes).toBe(miB * 1024 ** 2)
})

test.each(['-1', '1.5', 'many', '10 GiB'])('SLUICE_RUNNER_LAYERS_MIB=%s is refused by its name', (text) => {
  expect(() => readSettings({ ...given, SLUICE_RUNNER_LAYERS_MIB: text })).toThrow('SLUICE_RUNNER_LAYERS_MIB')
})
