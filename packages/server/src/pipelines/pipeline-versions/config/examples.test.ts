import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { configFaults } from './faults.ts'
import { pipelineSchema } from './published.ts'

const page = readFileSync(new URL('../../../../../../docs/reference/pipelines.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text))
const isPipeline = new Ajv2020({ strictTypes: false, allErrors: true }).compile(pipelineSchema())

test('the documentation has examples', () => {
  expect(examples.length).toBeGreaterThan(3)
})

test(
  'every configuration in the documentation is valid',
  everyCase(examples, (config) => {
    expect(configFaults(config)).toEqual([])
    expect(isPipeline(config), JSON.stringify(isPipeline.errors)).toBe(true)
  }),
)
