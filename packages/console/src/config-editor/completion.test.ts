import { expect, test } from 'vitest'
import { completionsAt, type Schema } from './completion.ts'

const common = { id: { type: 'string', description: 'Its id.' }, needs: { type: 'array', items: { type: 'string' } } }
const schema: Schema = {
  properties: {
    concurrency: { properties: { group: { type: 'string' }, policy: { enum: ['queue', 'reject'], default: 'queue' } } },
    steps: {
      items: {
        anyOf: [
          { required: ['id', 'type'], properties: { ...common, type: { const: 'approval' } } },
          {
            required: ['id', 'type', 'with'],
            properties: {
              ...common,
              type: { const: 'http' },
              with: { required: ['url'], properties: { url: { type: 'string' }, loud: { type: 'boolean' } } },
            },
          },
        ],
      },
    },
  },
}

/** Returns the completions at the cursor, marked `|`. */
const offered = (written: string) => {
  const offset = written.indexOf('|')
  const completion = completionsAt(schema, written.replace('|', ''), offset)
  return completion?.options.map(({ label }) => label)
}

test('top-level keys are completed', () => {
  expect(offered('|')).toEqual(['concurrency', 'steps'])
  expect(offered('concurrency:\n  group: x\nst|')).toEqual(['steps'])
})

test('keys of a step depend on its type, without those already present', () => {
  expect(offered('steps:\n  - id: a\n    type: approval\n    |')).toEqual(['needs'])
  expect(offered('steps:\n  - id: a\n    type: http\n    w|\n')).toEqual(['needs', 'with'])
  expect(offered('steps:\n  - id: a\n    |')).toEqual(['needs', 'type', 'with'])
  expect(offered('steps:\n  - |')).toEqual(['id', 'needs', 'type', 'with'])
})

test('nested keys are completed, also in braces', () => {
  expect(offered('steps:\n  - type: http\n    with:\n      |\n')).toEqual(['url', 'loud'])
  expect(offered('steps:\n  - { type: http, with: { url: x, | } }\n')).toEqual(['loud'])
})

test('values are completed: types, enumerations and booleans', () => {
  expect(offered('steps:\n  - id: a\n    type: |\n')).toEqual(['approval', 'http'])
  expect(offered('concurrency:\n  policy: re|')).toEqual(['queue', 'reject'])
  expect(offered('steps:\n  - type: http\n    with:\n      loud: |')).toEqual(['true', 'false'])
})

test('the dependencies of a step are completed with the other steps', () => {
  const before = 'steps:\n  - id: plan\n    type: approval\n  - id: own\n    type: approval\n'
  expect(offered(`${before}    needs: [|]`)).toEqual(['plan'])
  expect(offered(`${before}    needs:\n      - pl|`)).toEqual(['plan'])
})

test('nothing is completed where any value is allowed', () => {
  expect(offered('concurrency:\n  group: |')).toBeUndefined()
  expect(offered('other:\n  |')).toBeUndefined()
})

test('a completion replaces the started word', () => {
  const text = 'concurrency:\n  policy: re'
  expect(completionsAt(schema, text, text.length)?.from).toBe(text.length - 2)
})

test('references in a schema are resolved to any depth', () => {
  const named: Schema = {
    properties: { inputs: { anyOf: [{ $ref: '#/$defs/inputs' }, { type: 'null' }] } },
    $defs: {
      inputs: { items: { $ref: '#/$defs/input' } },
      input: { properties: { id: { type: 'string' }, item_inputs: { $ref: '#/$defs/inputs' } } },
    },
  }
  const keysAt = (text: string) => completionsAt(named, text, text.length)?.options.map(({ label }) => label)
  expect(keysAt('inputs:\n  - ')).toEqual(['id', 'item_inputs'])
  expect(keysAt('inputs:\n  - item_inputs:\n      - ')).toEqual(['id', 'item_inputs'])
})
