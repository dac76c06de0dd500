import { apiErrors, type UserFacingError } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { schemaErrorOf } from './check.ts'
import type { ConfigKind } from './configs.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let moduleDefinitionId: string
let pipelineId: string

type Made = { id: string }

beforeAll(async () => {
  world = await startHttpWorld()
  client = new Client(world.url, (await seedOrganization(world.db)).key)
  const definition = { data: { type: 'web', name: 'Web', description: '' } }
  moduleDefinitionId = (await client.done<Made>('POST', '/module-definitions', definition)).id
  const project = await client.done<Made>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  const pipeline = { data: { projectId: project.id, givenId: 'release', name: 'Release' } }
  pipelineId = (await client.done<Made>('POST', '/pipelines', pipeline)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

const dryRun = (kind: ConfigKind, config: object) =>
  kind === 'module'
    ? client.ask('POST', '/module-versions', {
        data: { moduleDefinitionId, version: '1.0.0', description: 'First.', config, dryRun: true },
      })
    : client.ask('POST', '/pipeline-versions', { data: { pipelineId, config, dryRun: true } })

const step = (more: object) => ({ id: 'a', type: 'command', with: { argv: ['make'] }, ...more })
const input = (more: object) => ({ id: 'name', label: 'Name', type: 'string', ...more })
const behindBeside = { patterns: [{ pattern: '^(?!x)y', message: 'begins with y' }], default: 'xy' }

test(
  'every type of file gets the errors of the service',
  everyCase<[string, ConfigKind, Record<string, unknown>]>(
    [
      ['wrong shapes and names', 'pipeline', { steps: [step({ type: 'comand' }), step({ needs: ['b'], nmae: 1 })] }],
      ['templates', 'pipeline', { steps: [step({ when: '<< inputs.x >>' })] }],
      [
        'a NUL and a depth',
        'pipeline',
        { steps: [step({ name: 'a\0' })], deep: JSON.parse('['.repeat(70) + ']'.repeat(70)) },
      ],
      [
        'wrong shapes and names',
        'module',
        { inputs: [input({ tpye: 'x' })], buidl: {}, deploy: { type: 'cloud:esc' } },
      ],
      ['patterns that are tried beside', 'module', { inputs: [input(behindBeside)] }],
      ['too much text', 'module', { inputs: [], readme: 'x'.repeat(5_000_000) }],
      ['too many values', 'module', { inputs: [], ui: { links: Array(60_000).fill(1) } }],
    ],
    async (_, kind, config) => {
      const { key, faults } = (await schemaErrorOf(kind, config)) ?? {}
      const { status, body } = await dryRun(kind, config)
      const { code, details } = body as UserFacingError
      expect({ status, code }).toEqual(key && { status: apiErrors[key].status, code: apiErrors[key].code })
      const told = details?.flatMap(({ items = [] }) => items) ?? [expect.stringContaining('')]
      expect(faults).toEqual(told)
    },
  ),
)

test.each<[ConfigKind, number, Record<string, unknown>]>([
  ['pipeline', 200, { steps: [step({})] }],
  ['module', 202, { inputs: [input({ patterns: behindBeside.patterns, default: 'y' })] }],
])('a valid %s has no errors', async (kind, status, config) => {
  expect(await dryRun(kind, config)).toMatchObject({ status })
  expect(await schemaErrorOf(kind, config)).toBeUndefined()
})

test('a number that JSON cannot represent is reported before it becomes null', async () => {
  const schemaError = await schemaErrorOf('pipeline', { steps: [step({ timeout_seconds: Number.POSITIVE_INFINITY })] })
  expect(schemaError).toEqual({
    key: 'requestInvalid',
    faults: [expect.stringMatching(/^\$\.data\.config\.steps\[0\]\.timeout_seconds: expected a number within/)],
  })
})
