import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../../testing/every-case.ts'
import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import { faultsOf, items, text } from './config/faults.fixture.ts'
import { providers } from './config/providers.ts'
import { InputDefinition, inputTypes } from './config/schema.ts'

describe('a hostile config is rejected in time', () => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))
  const evil = { patterns: [{ pattern: '^(a|aa)+$', message: 'x' }], default: `${'a'.repeat(60)}b` }

  test(
    'whatever makes it large',
    everyCase<[string, () => Record<string, unknown>]>(
      [
        ['of many inputs', () => ({ inputs: many(100_000, (index) => text(`i${index}`)) })],
        [
          'of many items',
          () => ({
            inputs: many(100, (index) => ({ ...items(...many(500, (field) => text(`f${field}`))), id: `i${index}` })),
          }),
        ],
        [
          'of many conditions',
          () => ({
            inputs: [text('a', { show_when: Object.fromEntries(many(100_000, (index) => [`b${index}`, true])) })],
          }),
        ],
        [
          'of conditions on each other',
          () => ({
            inputs: many(2000, (index) => text(`i${index}`, { show_when: { [`i${(index + 1) % 2000}`]: 'x' } })),
          }),
        ],
        ['of patterns that never end', () => ({ inputs: many(1000, (index) => text(`i${index}`, evil)) })],
        ['of many templates that are wrong', () => ({ ui: { links: many(100_000, () => '<< stakc.id >>') } })],
        ['of one template with many faults', () => ({ ui: { links: `<< [${'stakc, '.repeat(100_000)}] >>` } })],
        [
          'of many shapes that are wrong',
          () => ({ deploy: { type: 'cloud:ecs', strategy: { pause_stages: many(100_000, () => 1) } } }),
        ],
      ],
      async (_, make) => {
        const config = make()
        const from = cpuTimeMs()
        const faults = await runWithWorkerResults('somebody', async () => faultsOf(config))
        // Far above the expected time and far below that without limits.
        expect(cpuTimeMs() - from).toBeLessThan(20_000)
        expect(faults.length).toBeGreaterThan(0)
        expect(faults.length).toBeLessThanOrEqual(1000)
      },
    ),
  )
})

describe('the documentation', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/modules.md', import.meta.url), 'utf8')

  test('has an example that can be published', () => {
    const [, example = ''] = /```yaml\n(readme[\s\S]*?)```/.exec(page) ?? []
    expect(faultsOf(parse(example))).toEqual([])
  })

  test('names every type, attribute and provider', () => {
    const attributes = Object.keys(InputDefinition.$defs.Input.properties)
    const words = [...inputTypes, ...attributes.filter((name) => name !== 'type'), ...providers.keys()]
    expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([])
  })
})
