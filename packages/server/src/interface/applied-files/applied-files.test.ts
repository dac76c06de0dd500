import type { AppliedFiles, RecordAppliedFiles, Role } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Made = { id: string }

/** Creates a project with a members-only environment, and one record of every kind that files can contain. */
async function project() {
  const { key, organizationId } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const make = async (path: string, data: object) => (await client.done<Made>('POST', path, { data })).id
  const projectId = await make('/projects', { givenId: 'shop', name: 'Shop' })
  const staging = await make('/environments', { projectId, givenId: 'staging', name: 'Staging' })
  const secret = await make('/environments', { projectId, givenId: 'secret', name: 'Secret', visibility: 'MEMBERS' })
  const window = { from: '2030-12-24T00:00:00Z', until: '2030-12-27T00:00:00Z' }
  const team = await make('/teams', { name: 'on-call' })
  const definition = await make('/default-value-definitions', { key: 'region', schema: { type: 'string' } })
  const of = (environmentId: string) => ({ projectId, environmentId })
  const value = (parentType: string, parentId: string) =>
    make('/default-values', { defaultValueDefinitionId: definition, parentType, parentId, value: 'eu-west-1' })
  const policy = {
    name: 'Digests',
    guards: 'DEPLOYMENTS',
    expression: 'true',
    message: 'By digest only.',
  }
  const pool = await make('/execution-environments', { kind: 'runners', givenId: 'pool', name: 'Pool' })
  const ids = {
    'Project shop': projectId,
    'Environment staging': staging,
    'Environment secret': secret,
    'Freeze staging/Christmas': await make('/freezes', {
      ...of(staging),
      name: 'Christmas',
      window,
      stops: ['RELEASES'],
    }),
    'Freeze secret/Christmas': await make('/freezes', {
      ...of(secret),
      name: 'Christmas',
      window,
      stops: ['RELEASES'],
    }),
    'Policy staging/Digests': await make('/policies', { ...of(staging), ...policy }),
    'ApprovalRule staging/Two': await make('/approval-rules', { ...of(staging), name: 'Two', requiredApprovals: 2 }),
    'ApprovalRule secret/Two': await make('/approval-rules', { ...of(secret), name: 'Two', requiredApprovals: 2 }),
    'ExecutionEnvironment pool': pool,
    'ExecutionAssignment staging': await make('/execution-assignments', {
      parentType: 'environment',
      parentId: staging,
      executionEnvironmentId: pool,
    }),
    'Domain staging/shop.example.com': await make('/domains', { environmentId: staging, name: 'shop.example.com' }),
    'RoleGrant TEAM on-call DEPLOYER': await make('/role-grants', { projectId, principalId: team, role: 'DEPLOYER' }),
    'PromotionRule staging/secret': await make('/promotion-rules', {
      fromEnvironmentId: staging,
      environmentId: secret,
    }),
    'DefaultValue region': await value('project', projectId),
    'DefaultValue secret/region': await value('environment', secret),
    'DefaultValueDefinition region': definition,
    'Stack network': await make('/stacks', { projectId, givenId: 'network', name: 'Network' }),
    'Pipeline release': await make('/pipelines', { projectId, givenId: 'release', name: 'Release' }),
  }
  const as = async (role: Role) => new Client(world.url, await addMember(world.db, organizationId, role))
  const files = (one: Client) => one.done<AppliedFiles>('GET', `/projects/${projectId}/files`)
  const note = (one: Client, records: RecordAppliedFiles['records']) =>
    one.done<AppliedFiles>('POST', `/projects/${projectId}/files`, { data: { records } })
  const noteAll = (one: Client) => note(one, Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name])))
  return { client, ids, as, files, note, noteAll, projectId, organizationId }
}

const namesIn = ({ records }: AppliedFiles) => records.map(({ name }) => name).toSorted()

const changesIn = ({ records }: AppliedFiles) =>
  records.filter(({ changes }) => changes.length > 0).map(({ name, changes }) => [name, changes])

test('every record in files is reported as managed by them, with manual changes and removals', async () => {
  const { client, ids, as, noteAll, files } = await project()
  expect(namesIn(await noteAll(client))).toEqual(Object.keys(ids).toSorted())
  expect(changesIn(await files(client))).toEqual([])

  const patch = (path: string, data: object) => client.done('PATCH', path, { data })
  await patch(`/freezes/${ids['Freeze staging/Christmas']}`, { reason: 'By hand' })
  await patch(`/policies/${ids['Policy staging/Digests']}`, { isEnabled: false })
  await patch(`/default-values/${ids['DefaultValue region']}`, { value: 'us-east-1' })
  await patch(`/promotion-rules/${ids['PromotionRule staging/secret']}`, { soakMinutes: 5 })
  await patch(`/approval-rules/${ids['ApprovalRule staging/Two']}`, { requiredApprovals: 1 })
  await client.ask('DELETE', `/execution-assignments/${ids['ExecutionAssignment staging']}`)
  await client.ask('DELETE', `/domains/${ids['Domain staging/shop.example.com']}`)
  await client.ask('DELETE', `/role-grants/${ids['RoleGrant TEAM on-call DEPLOYER']}`)
  await client.done('PATCH', `/environments/${ids['Environment staging']}/hold-rule`, { data: { afterRollback: true } })
  const by = expect.any(String)
  const at = expect.any(String)
  expect(Object.fromEntries(changesIn(await files(client)))).toEqual({
    'Freeze staging/Christmas': [{ at, by, fields: ['reason'] }],
    'Policy staging/Digests': [{ at, by, fields: ['isEnabled'] }],
    'DefaultValue region': [{ at, by, fields: ['value'] }],
    'PromotionRule staging/secret': [{ at, by, fields: ['soakMinutes'] }],
    'RoleGrant TEAM on-call DEPLOYER': [{ at, by, fields: [], isDeletion: true }],
    'ApprovalRule staging/Two': [{ at, by, fields: ['requiredApprovals'] }],
    'ExecutionAssignment staging': [{ at, by, fields: [], isDeletion: true }],
    'Domain staging/shop.example.com': [{ at, by, fields: [], isDeletion: true }],
    'Environment staging': [{ at, by, fields: ['holdAfterRollback'] }],
  })
  // A record that the user cannot see is not named, nor is its change.
  expect(JSON.stringify(await files(await as('VIEWER')))).not.toContain('secret')
  expect(changesIn(await noteAll(client))).toEqual([])
})

test("a user who cannot see an environment does not remove its records from the files' record list", async () => {
  const { client, ids, as, files, note, noteAll } = await project()
  await noteAll(client)
  const developer = await as('DEVELOPER')
  const staging = { [ids['Environment staging']]: 'Environment staging', [ids['Environment secret']]: 'Guessed' }
  expect(namesIn(await note(developer, staging))).toEqual(['Environment staging'])
  expect(namesIn(await files(client))).toEqual([
    ...[
      'ApprovalRule secret/Two',
      'DefaultValue secret/region',
      'Environment secret',
      'Environment staging',
      'Freeze secret/Christmas',
    ],
    'PromotionRule staging/secret',
  ])
})

test('several documents about one record are distinguished by the changed fields', async () => {
  const { client, note, projectId } = await project()
  await note(client, { [projectId]: ['Project shop', 'EnvironmentOrder'] })
  const { order } = await client.done<{ order: string[] }>('GET', `/projects/${projectId}/environment-order`)
  await client.done('PATCH', `/projects/${projectId}/environment-order`, { data: { order: order.toReversed() } })
  const named = await client.done<AppliedFiles>('GET', `/projects/${projectId}/files?recordId=${projectId}`)
  expect(named.records).toMatchObject([
    { name: 'Project shop', changes: [] },
    { name: 'EnvironmentOrder', changes: [{ fields: ['environments'] }] },
  ])
})

test('records of another project are excluded', async () => {
  const { client, ids, note } = await project()
  const other = await project()
  const elsewhere = (await client.done<Made>('POST', '/projects', { data: { givenId: 'else', name: 'Else' } })).id
  const stack = (
    await client.done<Made>('POST', '/stacks', { data: { projectId: elsewhere, givenId: 'a', name: 'A' } })
  ).id
  const named = [
    stack,
    other.ids['Stack network'],
    other.ids['DefaultValueDefinition region'],
    'frz_none',
    ids['Stack network'],
  ]
  expect(namesIn(await note(client, Object.fromEntries(named.map((id) => [id, `Stack ${id}`]))))).toEqual([
    `Stack ${ids['Stack network']}`,
  ])
})
