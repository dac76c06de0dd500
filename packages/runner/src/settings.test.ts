import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { readSettings } from './settings.ts'

const given = { SLUICE_URL: 'https://sluice.example.com/', SLUICE_RUNNER_TOKEN: 'token' }

test(
  'SLUICE_RUNNER_LAYERS_MIB sets the size of the layer cache',
  everyCase(
    [
      [undefined, 10_240],
      ['', 10_240],
      ['0', 0],
      ['512', 512],
    ],
    (text, miB) => {
      expect(readSettings({ ...given, SLUICE_RUNNER_LAYERS_MIB: text }).layerBytes).toBe(miB * 1024 ** 2)
    },
  ),
)

test(
  'an invalid SLUICE_RUNNER_LAYERS_MIB is rejected by name',
  everyCase(['-1', '1.5', 'many', '10 GiB'], (text) => {
    expect(() => readSettings({ ...given, SLUICE_RUNNER_LAYERS_MIB: text })).toThrow('SLUICE_RUNNER_LAYERS_MIB')
  }),
)
