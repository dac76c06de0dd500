import type { Answer } from '../../testing/http-world.ts'
import type { OneOfEverything } from '../../testing/resources.ts'

type Request = [kind: string, method: string, path: string, body: string]
type Send = (method: string, path: string, data: unknown) => Promise<Answer>

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const json = (data: unknown) => JSON.stringify({ data })

/** Pattern with backtracking and a lookahead, which no linear-time engine supports. */
const endless = '^(a+)+(?=$)'
const nearly = `${'a'.repeat(30)}!`

/** Yields requests with which an expert would try to block other users, creating the records that they need. */
export async function* hostileRequests({ byPath }: OneOfEverything, send: Send): AsyncGenerator<Request> {
  const publish = (config: object, dryRun = true) => ({
    moduleDefinitionId: byPath['module-definitions'],
    version: '99.0.0',
    config,
    ...(dryRun && { dryRun }),
  })
  const input = (index: number, more: object) => ({ id: `in_${index}`, type: 'string', label: 'L', ...more })
  const patterns = [{ pattern: endless, message: 'No.' }]
  const configs: [string, object][] = [
    [
      'a default for each of 2,000 patterns',
      { inputs: times(2_000, (index) => input(index, { patterns, default: nearly })) },
    ],
    [
      'simple patterns without end',
      {
        inputs: times(1_000, (index) =>
          input(index, {
            patterns: times(5, (at) => ({ pattern: `^[a-z]{1,40}${index}-${at}`, message: 'No.' })),
            default: nearly,
          }),
        ),
      },
    ],
    [
      'a list of defaults',
      { inputs: [input(1, { type: 'string_array', patterns, default: times(9_999, () => nearly) })] },
    ],
    [
      'conditions of each on all',
      {
        inputs: times(300, (index) =>
          input(index, { show_when: Object.fromEntries(times(300, (other) => [`in_${other}`, 'x'])) }),
        ),
      },
    ],
    [
      'templates of each on all',
      {
        inputs: times(300, (index) =>
          input(index, { default: times(300, (other) => `<< module.input.in_${other} >>`).join('') }),
        ),
      },
    ],
    [
      'a pattern that no machine holds',
      { inputs: [input(1, { patterns: [{ pattern: '((a{0,99}){0,99}){0,99}$', message: 'No.' }], default: nearly })] },
    ],
  ]
  for (const [kind, config] of configs) yield [kind, 'POST', '/module-versions', json(publish(config))]

  const step = (index: number, needs: string[]) => ({
    id: `s${index}`,
    type: 'command',
    needs,
    with: { command: ['true'] },
  })
  for (const [kind, steps] of [
    ['a chain of steps', times(2_000, (index) => step(index, index === 0 ? [] : [`s${index - 1}`]))],
    [
      'steps that need all before',
      times(300, (index) =>
        step(
          index,
          times(index, (other) => `s${other}`),
        ),
      ),
    ],
  ] as const) {
    yield [kind, 'POST', '/pipeline-versions', json({ pipelineId: byPath.pipelines, config: { steps }, dryRun: true })]
  }

  const define = (name: string, schema: object) => json({ key: name, schema, isSensitive: false })
  const nested = (depth: number): object => (depth === 0 ? {} : { anyOf: [nested(depth - 1), nested(depth - 1)] })
  yield ['a schema of branches', 'POST', '/default-value-definitions', define('branches', nested(11))]
  yield [
    'a schema of patterns',
    'POST',
    '/default-value-definitions',
    define('patterns', { allOf: times(1_000, (index) => ({ pattern: `^(a|b)*${index}$` })) }),
  ]
  const burning = await send('POST', '/default-value-definitions', {
    key: 'burning',
    schema: { type: 'array', uniqueItems: true, items: { pattern: '^(a+)+$' } },
    isSensitive: false,
  })
  const value = times(10_000, (index) => ({ a: [index, nearly] }))
  const place = { parentType: 'project', parentId: byPath.projects }
  yield [
    'a value to compare',
    'POST',
    '/default-values',
    json({ defaultValueDefinitionId: burning.body.data?.id, ...place, value }),
  ]

  const fields = times(20, (index) => input(index, { default: '<< module.given_id >>' }))
  const module = {
    inputs: [
      input(1, {
        type: 'string_array',
        patterns: [
          { pattern: endless, message: 'No.' },
          { pattern: '^[a-z]+$', message: 'No.' },
        ],
      }),
      input(2, { type: 'object_array', item_inputs: fields }),
      input(3, { type: 'object_map', item_inputs: [input(1, {})], key: { patterns } }),
      input(4, { type: 'keyvalue' }),
    ],
  }
  await send('POST', '/module-versions', publish(module, false))
  const place2 = {
    moduleDefinitionId: byPath['module-definitions'],
    moduleVersionId: undefined,
    environmentId: byPath.environments,
  }
  for (const [kind, given] of [
    ['a list of texts', { in_1: times(9_999, (index) => nearly + index) }],
    ['a longer list of texts', { in_1: times(45_000, () => nearly) }],
    ['a list of items', { in_2: times(30_000, () => ({})) }],
    ['a list of wrong items', { in_2: times(45_000, () => 1) }],
    ['a map of items', { in_3: Object.fromEntries(times(40_000, (index) => [`${nearly}${index}`, {}])) }],
    ['unknown inputs', Object.fromEntries(times(40_000, (index) => [`nothing_${index}`, 1]))],
  ] as const) {
    yield [kind, 'POST', '/module-instances', json({ ...place2, givenId: 'costly', name: 'C', input: given })]
  }
}
