import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { runWithWorkerResults } from '../../../platform/aside/answered.ts'
import type { InputDefinition } from '../../module-versions/config/schema.ts'
import { faultLine, type Resolution, resolveInputs, type Surroundings } from './resolve.ts'

type Json = Record<string, unknown>
type Definition = { id: string; type?: string } & Json

const inputs = (...definitions: Definition[]) =>
  definitions.map((definition) => ({ label: definition.id, type: 'string', ...definition })) as InputDefinition[]

const place: Surroundings = {
  of: 'module',
  roots: { module: { given_id: 'web' }, project: { given_id: 'shop' }, environment: { given_id: 'qa' } },
}

const resolve = (definitions: InputDefinition[], given: Json = {}, more: Partial<Surroundings> = {}) =>
  resolveInputs(definitions, given, { ...place, ...more }, 'input')
const valuesOf = (...args: Parameters<typeof resolve>) => resolve(...args).values
const linesOf = ({ faults }: Resolution) => faults.map(faultLine)

describe('supplied values', () => {
  const definitions = inputs({ id: 'a', default: 'x' }, { id: 'b' }, { id: 'heading', type: 'section' })

  test.each([
    ['nothing: the default, or nothing', {}, { a: 'x', b: null }],
    ['a value', { a: 'y', b: 'z' }, { a: 'y', b: 'z' }],
    ['null, which is left blank', { a: null }, { a: null, b: null }],
  ])('%s', (_, given, values) => {
    expect(valuesOf(definitions, given)).toEqual(values)
  })

  test('with an unknown name or that of a heading are rejected', () => {
    expect(linesOf(resolve(definitions, { c: 1, heading: 1 }))).toEqual([
      'input.c is not an input of this module; it takes a, b',
      'input.heading is not an input of this module; it takes a, b',
    ])
  })
})

describe('visibility', () => {
  const show = (condition: unknown, controller: unknown, type = 'json') =>
    resolve(inputs({ id: 'on', type }, { id: 'it', default: 'here', show_when: { on: condition } }), { on: controller })
      .values.it === 'here'

  test(
    'follows the condition of the input',
    everyCase(
      [
        [true, true, true],
        [true, false, false],
        [true, null, false],
        [false, false, true],
        [false, null, true],
        [false, '', false],
        ['a', 'a', true],
        ['a', 'b', false],
        ['', null, true],
        ['', '', true],
        ['a', null, false],
        [['a', 'b'], 'b', true],
        [['a', 'b'], 'c', false],
        [['a', ''], null, true],
        [{ not: 'a' }, 'a', false],
        [{ not: 'a' }, 'b', true],
        [{ not: 'a' }, null, true],
        [{ not: '' }, null, false],
        [{ not: 0 }, 0, false],
        [{ not: 0 }, 1, true],
        [{ not: ['a', 'b'] }, 'b', false],
        [{ not: ['a', 'b'] }, 'c', true],
      ],
      (condition, controller, isShown) => {
        expect(show(condition, controller)).toBe(isShown)
      },
    ),
  )

  test('cascades, and a hidden input is null even if it has a value or default', () => {
    const definitions = inputs(
      { id: 'a', type: 'boolean', default: false },
      { id: 'b', type: 'boolean', default: true, show_when: { a: true } },
      { id: 'c', default: 'x', required: true, show_when: { b: true } },
    )
    expect(valuesOf(definitions, { c: 'given' })).toEqual({ a: false, b: null, c: null })
    expect(valuesOf(definitions, { a: true, c: 'given' })).toEqual({ a: true, b: true, c: 'given' })
    expect(resolve(definitions).faults).toEqual([])
  })

  test('of deployment inputs can depend on module inputs', () => {
    const definitions = inputs({ id: 'tag', default: 't', show_when: { kind: 'image' } })
    expect(valuesOf(definitions, {}, { of: 'deploy', outer: { kind: 'image' } })).toEqual({ tag: 't' })
    expect(valuesOf(definitions, {}, { of: 'deploy', outer: { kind: 'zip' } })).toEqual({ tag: null })
  })
})

describe('defaults', () => {
  test('read other inputs in any order, and the project and environment', () => {
    const definitions = inputs(
      { id: 'list', type: 'string_array', default: ['<< module.input.name >>', '<< module.input.none >>'] },
      { id: 'name', default: '<< module.input.base >>' },
      { id: 'base', default: '<< environment.given_id >>' },
      { id: 'none' },
    )
    expect(valuesOf(definitions)).toEqual({ list: ['qa'], name: 'qa', base: 'qa', none: null })
  })

  test('that depend on themselves are an error and do not hang', () => {
    const definitions = inputs(
      { id: 'a', default: '<< module.input.b >>' },
      { id: 'b', default: '<< module.input.c >>' },
      { id: 'c', default: 'x', show_when: { a: '' } },
    )
    expect(linesOf(resolve(definitions))).toEqual(['input.a cannot be resolved, it depends on itself: a → b → c → a'])
  })

  test('$values:first is the first visible option', () => {
    const values = [
      { value: 'a', label: 'A', show_when: { kind: 'x' } },
      { value: 'b', label: 'B' },
    ]
    const definitions = inputs({ id: 'kind' }, { id: 'it', values, default: '$values:first' })
    expect(valuesOf(definitions)).toMatchObject({ it: 'b' })
    expect(valuesOf(definitions, { kind: 'x' })).toMatchObject({ it: 'a' })
  })

  test('$values:first queries the provider with an encoded address', () => {
    const definitions = inputs(
      { id: 'region', default: 'r&d 1' },
      {
        id: 'it',
        values: '$values:cloud/regions?region=<< module.input.region >>&x=<< module.input.it2 >>',
        default: '$values:first',
      },
      { id: 'it2' },
    )
    const asked: string[] = []
    const offered = (address: string) => {
      asked.push(address)
      return [{ value: 'first' }, { value: 'second' }]
    }
    expect(valuesOf(definitions, {}, { offered })).toMatchObject({ it: 'first' })
    expect(asked[0]).toBe('$values:cloud/regions?region=r%26d%201&x=')
  })

  test('that cannot be rendered are an error', () => {
    expect(linesOf(resolve(inputs({ id: 'a', default: '<< nothing.here >>' })))).toEqual([
      expect.stringContaining('input.a has a default that cannot be rendered: '),
    ])
  })
})

describe('values', () => {
  const item = { id: 'list', type: 'object_array', item_inputs: inputs({ id: 'port', type: 'number', required: true }) }

  test(
    'are accepted by their definition or rejected with the reason',
    everyCase<[Omit<Definition, 'id'>, unknown, string | undefined]>(
      [
        [{ type: 'string' }, 'a', undefined],
        [{ type: 'string' }, 3, 'must be a string'],
        [{ type: 'number' }, 3.5, undefined],
        [{ type: 'number' }, '3', 'must be a number'],
        [{ type: 'boolean' }, 'true', 'must be true or false'],
        [{ type: 'string_array' }, ['a'], undefined],
        [{ type: 'string_array' }, ['a', 1], 'must be a list of strings'],
        [{ type: 'array' }, [{ name: 'a' }], undefined],
        [{ type: 'array' }, {}, 'must be a list'],
        [{ type: 'object' }, [], 'must be an object'],
        [{ type: 'json' }, [1], undefined],
        [{ type: 'keyvalue' }, { a: 'b' }, undefined],
        [{ type: 'keyvalue' }, { a: 1 }, 'must be an object whose values are strings'],
        [{ type: 'object_array' }, {}, 'must be a list of objects'],
        [{ type: 'object_map' }, [], 'must be an object of objects'],
        [{ type: 'compound', fields: ['cpu'] }, { cpu: '1' }, undefined],
        [
          { type: 'compound', fields: ['cpu'] },
          { cpu: '1', more: 1 },
          'must be an object with exactly the fields of the choice: cpu',
        ],
        [
          { type: 'compound', fields: ['cpu'] },
          { cpu: {} },
          'must be an object with exactly the fields of the choice: cpu',
        ],
        [{ required: true }, '', 'is required'],
        [{ required: true, type: 'array' }, [], 'is required'],
        [{ required: true, type: 'object' }, {}, 'is required'],
        [{ required: true }, null, 'is required'],
        [{ type: 'number', required: true }, 0, undefined],
        [{ type: 'number', min: 1, max: 3 }, 1, undefined],
        [{ type: 'number', min: 1, max: 3 }, 0, 'must be at least 1'],
        [{ type: 'number', min: 1, max: 3 }, 4, 'must be at most 3'],
        [{ values: [{ value: 'a', label: 'A' }] }, 'b', 'must be one of a'],
        [{ values: [{ value: 'a', label: 'A' }] }, '', undefined],
        [{ values: '$values:cloud/regions' }, 'anywhere', undefined],
        [{ patterns: [{ pattern: 'b$', message: 'End with b.' }] }, 'ab', undefined],
        [{ patterns: [{ pattern: 'b$', message: 'End with b.' }] }, 'ba', 'is not right: End with b.'],
      ],
      (definition, value, fault) => {
        const faults = linesOf(resolve(inputs({ id: 'it', ...definition }), { it: value }))
        expect(faults).toEqual(fault === undefined ? [] : [`input.it ${fault}`])
      },
    ),
  )

  test('that are too long are not matched against patterns', () => {
    const definitions = inputs({ id: 'it', patterns: [{ pattern: 'x', message: 'Have an x.' }] })
    const given = { it: 'x'.repeat(10_001) }
    expect(linesOf(resolve(definitions, given))).toEqual(['input.it must have at most 10000 characters'])
  })

  test('are matched without backtracking, or the match is abandoned', async () => {
    const given = { it: `${'a'.repeat(40)}b` }
    const faultOf = (pattern: string) =>
      runWithWorkerResults('somebody', async () => {
        const patterns = [{ pattern, message: 'Only a.' }]
        return linesOf(resolve(inputs({ id: 'it', patterns }), given))
      })
    expect(await faultOf('^(a+)+$')).toEqual(['input.it is not right: Only a.'])
    expect(await faultOf('^(a+)+(?=$)')).toEqual([
      expect.stringMatching(/^input\.it cannot be checked by its pattern: /),
    ])
  })

  test('share one time budget for all patterns', async () => {
    const patterns = [{ pattern: '^(a+)+(?=$)', message: 'Only a.' }]
    const definitions = inputs({ id: 'list', type: 'string_array', patterns })
    const list = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(40)}${index}`)
    const beginMs = cpuTimeMs()
    const lines = await runWithWorkerResults('somebody', async () => linesOf(resolve(definitions, { list })))
    expect(lines).toHaveLength(500)
    expect(cpuTimeMs() - beginMs).toBeLessThan(20_000) // would take minutes without the limit
  })

  test('in lists are checked one by one and reported by index', () => {
    const patterns = [{ pattern: '^/', message: 'Begin with /.' }]
    const definitions = inputs({ id: 'paths', type: 'string_array', patterns })
    expect(linesOf(resolve(definitions, { paths: ['/a', 'b'] }))).toEqual([
      'input.paths[1] is not right: Begin with /.',
    ])
  })

  test('of items are resolved in their own scope and reported by path', () => {
    const fields = inputs(
      { id: 'port', type: 'number', required: true },
      { id: 'protocol', default: 'TCP' },
      { id: 'path', default: '/', show_when: { protocol: 'HTTP' } },
    )
    const definitions = inputs({ id: 'listeners', type: 'object_array', item_inputs: fields })
    const given = { listeners: [{ port: 80, protocol: 'HTTP' }, { port: '81', size: 1 }, 'x'] }
    const resolution = resolve(definitions, given)
    expect(resolution.values.listeners).toEqual([
      { port: 80, protocol: 'HTTP', path: '/' },
      { port: '81', protocol: 'TCP', path: null },
      null,
    ])
    expect(linesOf(resolution)).toEqual([
      'input.listeners[2] must be an object',
      'input.listeners[1].size is not a field of this item; it takes port, protocol, path',
      'input.listeners[1].port must be a number',
    ])
  })

  test('produce at most a thousand errors, each in one line', () => {
    const definitions = inputs(...Array.from({ length: 500 }, (_, index) => ({ id: `input_${index}` })))
    const given = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, 1]))
    const lines = linesOf(resolve(definitions, given))
    expect(lines).toHaveLength(1_000)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(600)
  })

  test('have limits on the number of item fields and the depth of dependencies', () => {
    const fields = inputs(...Array.from({ length: 20 }, (_, index) => ({ id: `field_${index}` })))
    const list = inputs({ id: 'list', type: 'object_array', item_inputs: fields })
    expect(linesOf(resolve(list, { list: Array.from({ length: 501 }, () => ({})) }))).toEqual([
      'input.list is too much: all items together can have at most 10000 fields',
    ])
    const chain = inputs(
      ...Array.from({ length: 2_000 }, (_, index) => ({
        id: `in_${index}`,
        default: `<< module.input.in_${index + 1} >>`,
      })),
    )
    expect(linesOf(resolve(chain, {}))[0]).toContain('more than 100 inputs in a row depend on each other')
  })

  test('in maps are checked, as are their keys', () => {
    const key = { label: 'Name', patterns: [{ pattern: '^[a-z]+$', message: 'Lower case.' }] }
    const definitions = inputs({ ...item, type: 'object_map', key })
    expect(linesOf(resolve(definitions, { list: { a: { port: 1 }, 'B c': {} } }))).toEqual([
      'input.list["B c"] has a key that is not right: Lower case.',
      'input.list["B c"].port is required',
    ])
  })
})

describe('references', () => {
  const network = { id: 'mi_1', input: { cidr: '10.0.0.0/8' }, output: { subnets: ['a', 'b'], id: 'vpc' } }
  const referred = (type: string, name: string) =>
    type === 'network' && name === 'net' ? network : `names no ${type} in this environment: ${name}`
  const mapped = inputs(
    { id: 'vpc_id', required: true, default: '<< ref.stack.output.id >>' },
    { id: 'subnets', type: 'string_array', default: '<< ref.stack.output.subnets >>' },
    { id: 'groups', type: 'string_array', default: ['<< ref.stack.output.nothing >>'] },
    { id: 'cidr', default: '<< ref.input.cidr >>' },
  )
  const definitions = inputs({ id: 'network_id', type: '$ref:network', mapped_inputs: mapped })

  test('provide the values of mapped inputs', () => {
    const resolution = resolve(definitions, { network_id: 'net' }, { referred })
    expect(resolution.values).toEqual({
      network_id: 'net',
      vpc_id: 'vpc',
      subnets: ['a', 'b'],
      groups: [],
      cidr: '10.0.0.0/8',
    })
    expect(resolution.references).toEqual([{ path: 'network_id', id: 'mi_1' }])
    expect(resolution.faults).toEqual([])
  })

  test('can be overridden by a supplied value', () => {
    expect(resolve(definitions, { vpc_id: 'mine' }, { referred })).toMatchObject({
      values: { network_id: null, vpc_id: 'mine', subnets: null, groups: [] },
      references: [],
      faults: [],
    })
  })

  test('to missing instances are rejected, and the mapped inputs lack a value', () => {
    expect(linesOf(resolve(definitions, { network_id: 'gone' }, { referred }))).toEqual([
      'input.network_id names no network in this environment: gone',
      'input.vpc_id is required, and gone does not give it: apply that first, or give the value here',
    ])
  })

  test('that are hidden hide their mapped inputs', () => {
    const hidden = inputs(
      { id: 'own', type: 'boolean', default: true },
      { ...definitions[0], id: 'network_id', show_when: { own: false } },
    )
    expect(resolve(hidden, { network_id: 'net' }, { referred })).toMatchObject({
      values: { own: true, network_id: null, vpc_id: null },
      references: [],
      faults: [],
    })
  })

  test('can be in items', () => {
    const inItems = inputs({ id: 'sources', type: 'object_array', item_inputs: definitions })
    const resolution = resolve(inItems, { sources: [{ network_id: 'net' }] }, { referred })
    expect(resolution.values.sources).toMatchObject([{ vpc_id: 'vpc' }])
    expect(resolution.references).toEqual([{ path: 'sources[0].network_id', id: 'mi_1' }])
  })
})

describe('for any definitions and values', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const id = fc.constantFrom(...ids)
  const condition = fc.oneof(
    fc.boolean(),
    fc.constantFrom('', 'x', 'y'),
    fc.array(fc.constantFrom('', 'x', 'y')),
    fc.record({ not: fc.constantFrom('', 'x', 0) }),
  )
  const definition = fc.record(
    {
      type: fc.constantFrom(
        'string',
        'number',
        'boolean',
        'string_array',
        'object_array',
        'json',
        'section',
        '$ref:network',
      ),
      default: fc.oneof(
        fc.constantFrom(null, 'x', '', true, 3, '$values:first'),
        id.map((other) => `<< module.input.${other} >>`),
      ),
      show_when: fc.dictionary(id, condition, { maxKeys: 2 }),
      required: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  )
  const definitions = fc
    .array(definition, { maxLength: ids.length })
    .map(
      (all) => all.map((one, index) => ({ ...one, id: ids[index] ?? '', label: 'x' })) as unknown as InputDefinition[],
    )
  const given = fc.dictionary(id, fc.oneof(fc.constantFrom(null, '', 'x', 'y', true, false, 0, 3), fc.jsonValue()))
  const referred = () => 'names nothing'
  const sorted = (resolution: Resolution) =>
    linesOf(resolution)
      .filter((line) => !line.includes('takes'))
      .sort()
  const hasCircle = ({ faults }: Resolution) => faults.some(({ message }) => message.includes('depends on itself'))

  test('hidden inputs are null, results are deterministic, and nothing is thrown', () => {
    fc.assert(
      fc.property(definitions, given, (all, values) => {
        const resolution = resolve(all, values, { referred })
        for (const { path, isVisible } of resolution.seen) {
          if (!isVisible) expect(resolution.values[path] ?? null).toBeNull()
        }
        expect(resolve(all, values, { referred })).toEqual(resolution)
      }),
      { numRuns: 2_000 },
    )
  })

  test('the order of the inputs does not matter', () => {
    fc.assert(
      fc.property(definitions, given, (all, values) => {
        const forwards = resolve(all, values, { referred })
        const backwards = resolve([...all].reverse(), values, { referred })
        fc.pre(!hasCircle(forwards))
        expect(backwards.values).toEqual(forwards.values)
        expect(sorted(backwards)).toEqual(sorted(forwards))
      }),
      { numRuns: 2_000 },
    )
  })
})
