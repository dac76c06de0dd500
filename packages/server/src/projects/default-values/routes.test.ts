import { apiErrors, type DefaultValue, type DefaultValueDefinition } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../../testing/every-case.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { defaultValues } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  projectId = (await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

let keys = 0
const define = (fields: object = {}) => {
  keys += 1
  const data = { key: `key_${keys}`, schema: { type: 'string' }, ...fields }
  return client.done<DefaultValueDefinition>('POST', '/default-value-definitions', { data })
}
const onProject = (definition: DefaultValueDefinition, value: unknown) => ({
  data: { defaultValueDefinitionId: definition.id, parentType: 'project', parentId: projectId, value },
})
const set = (definition: DefaultValueDefinition, value: unknown) =>
  client.done<DefaultValue>('POST', '/default-values', onProject(definition, value))

const itemsOf = ({ body }: { body: unknown }) => (body as { details: { items: string[] }[] }).details[0]?.items

test('a definition can be created, read, listed, changed and deleted', async () => {
  const given = { key: 'iac_version', description: 'd', schema: { type: 'string', pattern: '^1' }, isSensitive: true }
  const answer = await client.ask('POST', '/default-value-definitions', { data: given })
  expect(answer.status).toBe(201)
  const { data } = answer.body as { data: DefaultValueDefinition }
  expect(data).toEqual({
    id: expect.stringMatching(/^dvd_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    ...given,
  })
  const path = `/default-value-definitions/${data.id}`
  expect(await client.done('GET', path)).toEqual(data)
  expect(await client.done('GET', '/default-value-definitions?limit=1')).toEqual([data])
  const changed = { ...data, key: 'iac_release', updatedAt: expect.any(String) }
  expect(await client.done('PATCH', path, { data: { key: 'iac_release' } })).toEqual(changed)
  expect(await client.done('PATCH', path, { data: {} })).toEqual(changed)
  expect(await client.ask('PATCH', path, { data: { isSensitive: false } })).toMatchObject({ status: 400 })
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  for (const method of ['GET', 'DELETE']) expect(await client.ask(method, path)).toMatchObject({ status: 404 })
  expect(await client.ask('PATCH', path, { data: {} })).toMatchObject({ status: 404 })
})

test('a key is unique', async () => {
  const [first, second] = [await define(), await define()]
  const taken = { status: 409, body: { code: apiErrors.defaultValueKeyTaken.code } }
  const again = { data: { key: first.key, schema: {} } }
  expect(await client.ask('POST', '/default-value-definitions', again)).toMatchObject(taken)
  const patch = { data: { key: first.key } }
  expect(await client.ask('PATCH', `/default-value-definitions/${second.id}`, patch)).toMatchObject(taken)
})

const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) })

test(
  'an invalid schema is rejected with the position of the error',
  everyCase<[string, Record<string, unknown>, RegExp]>(
    [
      ['an unknown type', { type: 'text' }, /^\$\.data\.schema\.type: /],
      [
        'a member of the wrong type',
        { properties: { a: { minLength: 'x' } } },
        /^\$\.data\.schema\.properties\.a\.minLen/,
      ],
      ['a pattern that is none', { pattern: '(' }, /^\$\.data\.schema: .*regular expression/i],
      ['a reference out of it', { $ref: 'https://example.com/a.json' }, /^\$\.data\.schema: .*reference/],
      ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, /^\$\.data\.schema: .*2020-12/],
      ['asynchronous checks', { $async: true }, /^\$\.data\.schema: expected no \$async/],
      ['more than 64 KiB', { description: 'x'.repeat(70_000) }, /^\$\.data\.schema: expected at most 65536 bytes/],
    ],
    async (_, schema, line) => {
      const answer = await client.ask('POST', '/default-value-definitions', { data: { key: 'bad', schema } })
      expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.requestInvalid.code } })
      expect(itemsOf(answer)?.[0]).toMatch(line)
    },
  ),
)

test('a schema may be nested, contain references within itself, and use the names of another schema', async () => {
  const tree = { $id: 'https://example.com/tree', type: 'object', properties: { child: { $ref: '#' } } }
  const [first, second] = [await define({ schema: tree }), await define({ schema: { ...tree, type: 'array' } })]
  expect((await set(first, { child: { child: {} } })).value).toEqual({ child: { child: {} } })
  expect((await set(second, [1])).value).toEqual([1])
  expect(await define({ schema: deep(20) })).toMatchObject({ schema: deep(20) })
})

test(
  'every JSON value is accepted',
  everyCase(
    [1, 'text', null, false, 0, '', [], {}, { a: [null, { b: 'ü' }] }].map((value) => ({ value })),
    async ({ value }) => {
      const definition = await define({ schema: {} })
      const answer = await client.ask('POST', '/default-values', onProject(definition, value))
      expect(answer).toMatchObject({ status: 201, body: { data: { value } } })
      const { id } = (answer.body as { data: DefaultValue }).data
      expect(await client.done('GET', `/default-values/${id}`)).toEqual({
        id: expect.stringMatching(/^dv_/),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        organizationId: owner.organizationId,
        defaultValueDefinitionId: definition.id,
        parentType: 'project',
        parentId: projectId,
        value,
      })
    },
  ),
)

test('a value that does not match is rejected with every error and its path', async () => {
  const schema = {
    type: 'object',
    properties: {
      name: {},
      size: { enum: ['s', 'm'] },
      mail: { type: 'string', format: 'email' },
      ports: { items: { maximum: 9 } },
    },
    required: ['size', 'name'],
    additionalProperties: false,
  }
  const definition = await define({ schema })
  const value = { size: 'xl', mail: 'nobody', ports: [1, 10], 'a/b': 1 }
  const refused = await client.ask('POST', '/default-values', onProject(definition, value))
  expect(refused.status).toBe(400)
  expect(itemsOf(refused)?.toSorted()).toEqual([
    '$.data.value.mail: must match format "email"',
    '$.data.value.name: required, but missing',
    '$.data.value.ports[1]: must be <= 9',
    '$.data.value.size: expected one of s, m',
    '$.data.value["a/b"]: unknown property',
  ])
  const { id } = await set(definition, { size: 's', name: 'a' })
  expect(await client.ask('PATCH', `/default-values/${id}`, { data: { value } })).toMatchObject({ status: 400 })
})

test('a pattern with exponential backtracking is terminated without delaying others', async () => {
  const definition = await define({ schema: { type: 'string', pattern: '^(a+)+$' } })
  const begun = cpuTimeMs()
  const answer = await client.ask('POST', '/default-values', onProject(definition, `${'a'.repeat(60)}!`))
  expect(answer.status).toBe(400)
  expect(itemsOf(answer)?.[0]).toMatch(/^\$\.data\.value: cannot be checked by its schema; it was given up after/)
  expect(cpuTimeMs() - begun).toBeLessThan(20_000)
})

test('values can be set once at each of three levels, and filtered by level, parent and definition', async () => {
  const definition = await define()
  const { id: environmentId } = await client.done<{ id: string }>('POST', '/environments', {
    data: { projectId, givenId: 'production', name: 'P' },
  })
  const levels = { organization: owner.organizationId, project: projectId, environment: environmentId }
  for (const [parentType, parentId] of Object.entries(levels)) {
    const data = { defaultValueDefinitionId: definition.id, parentType, parentId, value: parentType }
    expect(await client.ask('POST', '/default-values', { data })).toMatchObject({ status: 201 })
    expect(await client.ask('POST', '/default-values', { data })).toMatchObject({
      status: 409,
      body: { code: apiErrors.defaultValueTaken.code },
    })
  }
  const ofIt = `/default-values?defaultValueDefinitionId=${definition.id}`
  const found = async (filter: string) =>
    (await client.done<DefaultValue[]>('GET', `${ofIt}${filter}`)).map(({ value }) => value)
  expect(await found('')).toEqual(['environment', 'project', 'organization'])
  expect(await found('&parentType=project')).toEqual(['project'])
  expect(await found(`&parentId=${environmentId}`)).toEqual(['environment'])
  expect(await found('&parentType=project&parentId=prj_other')).toEqual([])
  expect(await client.ask('GET', `${ofIt}&parentType=team`)).toMatchObject({ status: 400 })

  expect(await client.ask('DELETE', `/environments/${environmentId}`)).toMatchObject({ status: 204 })
  expect(await found('')).toEqual(['project', 'organization'])
})

test('an unknown parent or definition, or one of another organization, is rejected', async () => {
  const definition = await define()
  const other = await seedOrganization(world.db)
  const valid = { defaultValueDefinitionId: definition.id, parentType: 'project', parentId: projectId, value: 'a' }
  for (const [field, id, change] of [
    ['defaultValueDefinitionId', 'dvd_x', {}],
    ['parentId', 'prj_x', {}],
    ['parentId', 'env_x', { parentType: 'environment' }],
    ['parentId', projectId, { parentType: 'environment' }],
    ['parentId', other.organizationId, { parentType: 'organization' }],
  ] as const) {
    const answer = await client.ask('POST', '/default-values', { data: { ...valid, ...change, [field]: id } })
    expect(answer).toMatchObject({
      status: 422,
      body: { code: apiErrors.referenceNotFound.code, metadata: { field, id } },
    })
  }
})

test('a value can be changed, even to null, and deleted', async () => {
  const definition = await define({ schema: {} })
  const before = await set(definition, 'old')
  const path = `/default-values/${before.id}`
  expect(await client.done('PATCH', path, { data: {} })).toEqual(before)
  const changed = { ...before, value: null, updatedAt: expect.any(String) }
  expect(await client.done('PATCH', path, { data: { value: null } })).toEqual(changed)
  expect(await client.ask('PATCH', path, { data: { parentId: 'a' } })).toMatchObject({ status: 400 })
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  for (const method of ['GET', 'DELETE']) expect(await client.ask(method, path)).toMatchObject({ status: 404 })
  expect(await client.ask('PATCH', path, { data: { value: 1 } })).toMatchObject({ status: 404 })
})

test('a sensitive value is stored encrypted and never returned', async () => {
  const definition = await define({ isSensitive: true })
  const secret = 'correct horse battery staple'
  const { id, value } = await set(definition, secret)
  expect(value).toBeNull()
  expect(await client.done('PATCH', `/default-values/${id}`, { data: { value: `${secret} 2` } })).toMatchObject({
    value: null,
  })
  expect(await client.done('GET', `/default-values/${id}`)).toMatchObject({ value: null })
  const rows = await world.db.select().from(defaultValues).where(eq(defaultValues.id, id))
  expect(rows[0]?.held).toEqual({ sealed: expect.stringMatching(/^v2\.[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+$/) })
  const events = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, id))
  expect(events).toHaveLength(2)
  expect(JSON.stringify(events)).not.toContain('horse')
})

test.each([false, true])('a schema can only be changed if the values match it (sensitive: %s)', async (isSensitive) => {
  const definition = await define({ isSensitive })
  await set(definition, 'abc')
  const path = `/default-value-definitions/${definition.id}`
  const refused = await client.ask('PATCH', path, { data: { schema: { maxLength: 2 } } })
  expect(refused).toMatchObject({ status: 422, body: { code: apiErrors.defaultValuesDoNotMatch.code } })
  expect(itemsOf(refused)).toEqual([`project ${projectId}: must NOT have more than 2 characters`])
  expect(JSON.stringify(refused.body)).not.toContain('abc')
  expect(await client.done('GET', path)).toEqual(definition)
  expect(await client.done('PATCH', path, { data: { schema: { maxLength: 3 } } })).toMatchObject({
    schema: { maxLength: 3 },
  })
})

test('a definition with values cannot be deleted', async () => {
  const definition = await define()
  const { id } = await set(definition, 'a')
  const path = `/default-value-definitions/${definition.id}`
  expect(await client.ask('DELETE', path)).toMatchObject({
    status: 409,
    body: { code: apiErrors.defaultValueDefinitionInUse.code, details: [{ items: [`default value ${id}`] }] },
  })
  await client.ask('DELETE', `/default-values/${id}`)
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204 })
})
