import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { completeDeploy } from './complete-deploy.fixture.ts'
import { faultsOf, faultsOfInputs, items, text } from './faults.fixture.ts'

describe('an input', () => {
  test(
    'is validated in every field',
    everyCase<[string, object[], string[]]>(
      [
        ['of every type', everyType(), []],
        ['of no type', [{ id: 'a' }], ['inputs[0].type: required, but missing']],
        [
          'without an id, and with what there is not',
          [{ type: 'string', $include: 'x' }],
          [
            'inputs[0].id: required, but missing',
            expect.stringMatching(
              /^inputs\[0\]\["\$include"\]: unknown property; available: add_button_label, .* and 4 more$/,
            ),
          ],
        ],
        [
          'with what there is not, further in',
          [text('a', { patterns: [{ pattern: 'x', mesage: 'x' }] }), items(items(text('b', { lable: 'x' })))],
          [
            'inputs[0].patterns[0].message: required, but missing',
            'inputs[0].patterns[0].mesage: unknown property; did you mean message?',
            'inputs[1].item_inputs[0].item_inputs[0].lable: unknown property; did you mean label?',
          ],
        ],
        ['of a wrong id', [text('Port-1')], ['inputs[0].id: expected text that matches ^[a-z][a-z0-9_]*$']],
        [
          'of an id that is there',
          [text('a'), { id: 'net', type: '$ref:network', mapped_inputs: [text('a')] }, { id: 'a', type: 'section' }],
          [
            'inputs[1].mapped_inputs[0].id: expected another id, a is there already',
            'inputs[2].id: expected another id, a is there already',
          ],
        ],
        ['whose item has an id of the scope around it', [text('a'), items(text('a'))], []],
        [
          'whose items share an id',
          [items(text('b'), text('b'))],
          ['inputs[0].item_inputs[1].id: expected another id, b is there already'],
        ],
        [
          'with what its type does not have',
          [
            { id: 'a', type: 'boolean', required: true },
            { id: 'b', type: 'section', default: 1, required: false },
            text('c', { min: 1, item_inputs: [], key: {}, fields: [], mapped_inputs: [] }),
            { id: 'd', type: 'number', patterns: [] },
            { id: 'e', type: 'object', values: [] },
          ],
          [
            'inputs[0].required: not allowed: boolean has no required',
            'inputs[1].required: not allowed: section has no required',
            'inputs[1].default: not allowed: section has no default',
            'inputs[2].min: not allowed: string has no min',
            'inputs[2].mapped_inputs: not allowed: string has no mapped_inputs',
            'inputs[2].item_inputs: not allowed: string has no item_inputs',
            'inputs[2].key: not allowed: string has no key',
            'inputs[2].fields: not allowed: string has no fields',
            'inputs[3].patterns: not allowed: number has no patterns',
            'inputs[4].values: not allowed: object has no values',
          ],
        ],
        [
          'of which null members are absent',
          [{ id: 'a', type: 'boolean', required: null, default: null, patterns: null }],
          [],
        ],
        [
          'that refers to no type',
          [{ id: 'a', type: '$ref:No Type' }],
          ['inputs[0].type: expected the type of a definition behind $ref:'],
        ],
        [
          'without the fields of its choice',
          [{ id: 'a', type: 'compound' }],
          ['inputs[0].fields: required, but missing'],
        ],
        [
          'with a pattern that does not compile',
          [
            text('a', {
              patterns: [
                { pattern: '^(?!x)a$', message: 'a' },
                { pattern: '(', message: 'b' },
              ],
            }),
          ],
          [
            'inputs[0].patterns[1].pattern: expected a regular expression: Invalid regular expression: /(/: Unterminated group',
          ],
        ],
      ],
      (_, inputs, faults) => {
        expect(faultsOfInputs(...inputs)).toEqual(faults)
      },
    ),
  )
})

describe('the options of an input', () => {
  const option = (value: unknown, more: object = {}) => ({ value, label: 'x', ...more })

  test(
    'are validated in every field',
    everyCase<[string, object[], string[]]>(
      [
        [
          'from a provider',
          [text('a', { values: '$values:cloud/regions?cloudAccountId=<< module.input.b >>' }), text('b')],
          [],
        ],
        [
          'from a provider with a parameter that it does not have',
          [text('a', { values: '$values:cloud/subnets?regoin=<< module.input.b >>&networkId=x' }), text('b')],
          ['inputs[0].values: expected a parameter of cloud/subnets, there is no regoin; did you mean region?'],
        ],
        [
          'from none',
          [text('a', { values: '$values:cloud/regoins' })],
          ['inputs[0].values: expected a provider, there is no cloud/regoins; did you mean cloud/regions?'],
        ],
        [
          'of a compound, with its fields',
          [{ id: 'a', type: 'compound', fields: ['cpu'], values: [option('s', { cpu: 1 })] }],
          [],
        ],
        [
          'of another kind, and with more than they have',
          [text('a', { values: [option(1)] }), { id: 'b', type: 'number', values: [option('1', { cpu: 1 })] }],
          [
            'inputs[0].values[0].value: expected string, got number',
            'inputs[1].values[0].value: expected number, got string',
            'inputs[1].values[0].cpu: unknown property',
          ],
        ],
        [
          'shown by what there is not',
          [text('engine', { values: [option('a', { show_when: { engin: 'x' } })] })],
          [
            'inputs[0].values[0].show_when.engin: expected the id of an input here, there is no engin; did you mean engine?',
          ],
        ],
      ],
      (_, inputs, faults) => {
        expect(faultsOfInputs(...inputs)).toEqual(faults)
      },
    ),
  )
})

describe('the show_when of an input', () => {
  test(
    'is validated in every field',
    everyCase<[string, object, string[]]>(
      [
        [
          'true, a text, a list and what it is not',
          shown({ on: true }, { on: 'x' }, { on: ['x', ''] }, { on: { not: 0 } }, { on: { not: ['x', 1] } }),
          [],
        ],
        [
          'a number',
          shown({ on: 3 }),
          ['inputs[1].show_when.on: expected boolean or string or array or object, got number'],
        ],
        [
          'what there is not',
          shown({ of: true }),
          ['inputs[1].show_when.of: expected the id of an input here, there is no of; did you mean on?'],
        ],
        [
          'what is no field of the item',
          { inputs: [text('on'), items(text('a', { show_when: { on: 'x' } }))] },
          ['inputs[1].item_inputs[0].show_when.on: expected the id of an input here, there is no on; available: a'],
        ],
        [
          'an input of the module, in a deployment',
          {
            inputs: [text('on')],
            deploy: completeDeploy('cloud:ecs', { inputs: [text('a', { show_when: { on: 'x' } })] }),
          },
          [],
        ],
        [
          'each other',
          {
            inputs: [
              text('a', { show_when: { b: 'x' } }),
              text('b', { show_when: { c: 'x' } }),
              text('c', { show_when: { b: 'x' } }),
            ],
          },
          ['inputs[0]: expected values that can be resolved, this one depends on itself: b → c → b'],
        ],
        [
          'what reads it',
          { inputs: [text('a', { default: '<< module.input.b + "x" >>' }), text('b', { show_when: { a: 'x' } })] },
          ['inputs[0]: expected values that can be resolved, this one depends on itself: a → b → a'],
        ],
      ],
      (_, config, faults) => {
        expect(faultsOf(config as Record<string, unknown>)).toEqual(faults)
      },
    ),
  )
})

describe('the default of an input', () => {
  const options = [{ value: 'a', label: 'A' }]

  test(
    'must be a valid value',
    everyCase<[object, string[]]>(
      [
        [text('a', { default: 'x' }), []],
        [text('a', { default: 3 }), ['must be a string']],
        [text('a', { default: '', patterns: [{ pattern: 'x', message: 'no' }] }), []],
        [
          text('a', { default: 'yy', patterns: [{ pattern: '^x', message: 'starts with x' }] }),
          ['is not right: starts with x'],
        ],
        [text('a', { default: 'b', values: options }), ['must be one of a']],
        [text('a', { default: '$values:first', values: options }), []],
        [text('a', { default: '$values:first' }), ['expected values, of which it is the first']],
        [text('a', { default: '<< module.given_id >>' }), []],
        [{ id: 'a', type: 'number', default: '3' }, ['must be a number']],
        [{ id: 'a', type: 'number', default: 3, min: 4 }, ['must be at least 4']],
        [{ id: 'a', type: 'boolean', default: 'no' }, ['must be true or false']],
        [{ id: 'a', type: 'string_array', default: ['a', '<< module.given_id >>'], values: options }, []],
        [{ id: 'a', type: 'string_array', default: [], required: true }, []],
        [{ id: 'a', type: 'string_array', default: ['a', 1] }, ['must be a list of strings']],
        [{ id: 'a', type: 'keyvalue', default: { a: 1 } }, ['must be an object whose values are strings']],
        [{ id: 'a', type: 'object', default: { a: null } }, []],
        [{ id: 'a', type: 'object_map', default: [] }, ['must be an object of objects']],
      ],
      (input, faults) => {
        expect(faultsOfInputs(input)).toEqual(faults.map((fault) => `inputs[0].default: ${fault}`))
      },
    ),
  )

  test('can read the reference only in a mapped input', () => {
    const reads = { default: '<< ref.stack.output.id || ref.input.id >>' }
    expect(
      faultsOfInputs({ id: 'net', type: '$ref:network', mapped_inputs: [text('a', reads)] }, text('b', reads)),
    ).toEqual([
      'inputs[1].default: unknown name ref; available: environment, module, project (line 1, column 4)',
      'inputs[1].default: unknown name ref; available: environment, module, project (line 1, column 27)',
    ])
  })

  test('is also validated in items', () => {
    const inner = { id: 'port', type: 'number', default: 'x' }
    expect(faultsOfInputs(items(inner, text('b', { default: '<< stack.id >>' })))).toEqual([
      'inputs[0].item_inputs[0].default: must be a number',
      'inputs[0].item_inputs[1].default: unknown name stack; available: environment, module, project (line 1, column 4)',
    ])
  })
})

function shown(...conditions: object[]) {
  return { inputs: [text('on'), ...conditions.map((show_when, index) => text(`a${index}`, { show_when }))] }
}

function everyType() {
  const types = [
    'text',
    'number',
    'boolean',
    'string_array',
    'array',
    'object',
    'json',
    'keyvalue',
    'gitrepo',
    'section',
    'divider',
  ]
  return [
    text('a', { label: 'A', description: '', placeholder: 'x', required: true, immutable: true, moved_from: ['b'] }),
    ...types.map((type) => ({ id: `of_${type}`, type, label: 'x' })),
    {
      id: 'b',
      type: 'object_array',
      item_inputs: [text('c', { show_when: { d: 'x' } }), text('d')],
      item_title: { template: '{c}' },
      item_label: 'C',
      add_button_label: 'Add',
      collapsible: true,
    },
    {
      id: 'e',
      type: 'object_map',
      key: { label: 'Key', patterns: [{ pattern: '^x', message: 'x' }] },
      item_inputs: [text('f')],
    },
    { id: 'g', type: 'compound', fields: ['cpu'], values: '$values:cloud/fargate/sizes' },
    {
      id: 'h',
      type: '$ref:network',
      mapped_inputs: [text('i', { required: true, default: '<<ref.stack.output.id>>' })],
    },
  ]
}
