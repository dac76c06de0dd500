import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { readPlan } from './plan.ts'
import type { PlanFile } from './plan-format.ts'
import { createMask, fillInKnown, masked, sensitive, unknown } from './sensitive.ts'
import { readShownState } from './shown-state.ts'

const identity = { mode: 'managed', type: 'cloud_thing', name: 'a', provider_name: 'registry.example/acme/cloud' }
const change = (actions: string[], more: object = {}) => ({ actions, before: null, after: {}, ...more })
const plan = (changes: object[], more: object = {}) => ({ resource_changes: changes, ...more }) as unknown as PlanFile

test('a resource contains all details of the plan', () => {
  const address = 'module.web["a/b"].cloud_thing.a[2]'
  const file = plan(
    [
      {
        address,
        module_address: 'module.web["a/b"]',
        ...identity,
        index: 2,
        change: change(['update'], { before: { size: 1 }, after: { size: 2 } }),
      },
      { address: 'cloud_thing.a', ...identity, deposed: 'abcd', change: change(['delete'], { after: null }) },
    ],
    {
      resource_drift: [{ address, ...identity, change: change(['update'], { after: { size: 3 } }) }],
      prior_state: {
        values: {
          root_module: {
            child_modules: [
              { address: 'module.web["a/b"]', resources: [{ address, ...identity, index: 2, tainted: true }] },
            ],
          },
        },
      },
    },
  )
  expect(readPlan(file).resources).toEqual([
    {
      address,
      moduleAddress: 'module.web["a/b"]',
      indexKey: '2',
      provider: 'registry.example/acme/cloud',
      resourceName: 'a',
      resourceType: 'cloud_thing',
      changeType: 'UPDATE',
      changeReasons: { reasons: ['CHANGED_OUTSIDE'] },
      driftStatus: 'DRIFTED',
      isInState: true,
      isTainted: true,
      before: { size: 1 },
      after: { size: 2 },
    },
    expect.objectContaining({ address: 'cloud_thing.a (deposed abcd)', changeType: 'DELETE', indexKey: undefined }),
  ])
})

test('a drift check lists all resources in the state', () => {
  const resource = (address: string) => ({
    address,
    ...identity,
    values: { size: 1, key: 's3cret' },
    sensitive_values: { key: true },
  })
  const file = plan([], {
    resource_drift: [
      {
        address: 'cloud_thing.a',
        ...identity,
        change: change(['update'], { before: { size: 1 }, after: { size: 9 } }),
      },
      { address: 'cloud_thing.gone', ...identity, change: change(['delete'], { before: { size: 1 }, after: null }) },
      {
        address: 'cloud_thing.b',
        ...identity,
        change: change(['update'], { before: { size: 1, tags: null }, after: { size: 1, tags: {}, list: [] } }),
      },
    ],
    prior_state: { values: { root_module: { resources: [resource('cloud_thing.a'), resource('cloud_thing.b')] } } },
  })
  const { resources, driftedCount, secrets } = readPlan(file, { isDrift: true })
  expect(
    resources.map(({ address, changeType, driftStatus, isInState }) => [address, changeType, driftStatus, isInState]),
  ).toEqual([
    ['cloud_thing.a', 'UPDATE', 'DRIFTED', true],
    ['cloud_thing.gone', 'DELETE', 'DRIFTED', true],
    ['cloud_thing.b', 'NO_OP', 'IN_SYNC', true],
  ])
  expect(resources[2]).toMatchObject({ before: { size: 1, key: sensitive }, after: { size: 1, key: sensitive } })
  expect(driftedCount).toBe(2)
  expect(secrets).toContain('s3cret')
})

test('a resource that drifted and is not in the plan is listed with its change', () => {
  const gone = { address: 'cloud_thing.gone', ...identity, change: change(['delete'], { after: null }) }
  expect(readPlan(plan([], { resource_drift: [gone] }))).toMatchObject({
    hasChanges: true,
    counts: { NO_OP: 1 },
    driftedCount: 1,
    resources: [
      {
        address: 'cloud_thing.gone',
        changeType: 'NO_OP',
        changeReasons: { reasons: ['CHANGED_OUTSIDE'] },
        driftStatus: 'DRIFTED',
      },
    ],
  })
})

test('a deferred change is listed and counted by its action', () => {
  const replaced = { address: 'cloud_thing.later', ...identity, change: change(['delete', 'create']) }
  const deferred = [{ reason: 'instance_count_unknown', resource_change: replaced }]
  expect(readPlan(plan([], { deferred_changes: deferred }))).toMatchObject({
    counts: { REPLACE: 1 },
    resources: [
      {
        address: 'cloud_thing.later',
        changeType: 'REPLACE',
        changeReasons: { reasons: ['DEFERRED_BECAUSE_INSTANCE_COUNT_UNKNOWN'] },
      },
    ],
  })
})

test('changed outputs are listed with their values, except sensitive ones', () => {
  const output_changes = {
    url: change(['update'], { before: 'http://a', after: 'http://b' }),
    same: change(['no-op'], { before: 1, after: 1 }),
    gone: change(['delete'], { before: 'a', after: null }),
    id: change(['create'], { after_unknown: true, after: undefined }),
    key: change(['create'], { after: 's3cret', after_sensitive: true }),
    deploy_token: change(['create'], { after: 's3cret' }),
  }
  expect(readPlan(plan([], { output_changes }))).toMatchObject({
    hasChanges: true,
    outputChanges: [
      { name: 'deploy_token', changeType: 'CREATE', after: sensitive },
      { name: 'gone', changeType: 'DELETE', before: 'a' },
      { name: 'id', changeType: 'CREATE', after: unknown },
      { name: 'key', changeType: 'CREATE', after: sensitive },
      { name: 'url', changeType: 'UPDATE', before: 'http://a', after: 'http://b' },
    ],
  })
})

test('values are masked if the provider, a mark or their name makes them sensitive', () => {
  const after = {
    marked: 's3cret',
    db_password: 's3cret',
    password_length: 20,
    environment: { STRIPE_API_KEY: 's3cret', PORT: '80' },
    variables: [
      { name: 'GITHUB_TOKEN', value: 's3cret' },
      { name: 'PORT', value: '80' },
    ],
    containers: JSON.stringify([{ environment: [{ name: 'PASSWORD', value: 's3cret' }] }]),
  }
  const change_ = change(['create'], { after, after_sensitive: { marked: true }, after_unknown: { auth_token: true } })
  const [resource] = readPlan(plan([{ address: 'cloud_thing.a', ...identity, change: change_ }])).resources
  expect(resource?.after).toEqual({
    marked: sensitive,
    db_password: sensitive,
    password_length: 20,
    environment: { STRIPE_API_KEY: sensitive, PORT: '80' },
    variables: [
      { name: 'GITHUB_TOKEN', value: sensitive },
      { name: 'PORT', value: '80' },
    ],
    containers: JSON.stringify([{ environment: [{ name: 'PASSWORD', value: sensitive }] }]),
    auth_token: sensitive,
  })
})

test('the values of variables are secret if they are marked as sensitive or named like a secret', () => {
  const variables = { a: { value: 'marked' }, api_key: { value: 'named' }, size: { value: 'open' } }
  const root_module = { variables: { a: { sensitive: true }, api_key: {}, size: {} } }
  const read = readPlan(plan([], { variables, configuration: { root_module } }))
  const sensitive = { sensitive: ['a', 'api_key'], sensitiveValues: ['marked', 'named'] }
  expect(read.variables).toEqual({ declared: ['a', 'api_key', 'size'], ...sensitive })
  expect(read.secrets).toEqual(['marked', 'named'])
})

test('provider actions that an apply invokes produce a warning', () => {
  const action_invocations = [{ address: 'action.cloud_lambda_invoke.migrate' }]
  expect(readPlan(plan([], { action_invocations })).warnings).toMatchObject([
    { detail: expect.stringContaining('action.cloud_lambda_invoke.migrate') },
  ])
})

test('a plan reports whether it has changes', () => {
  const noOp = { address: 'cloud_thing.a', ...identity, change: change(['no-op']) }
  expect(readPlan(plan([noOp])).hasChanges).toBe(false)
  expect(readPlan(plan([noOp], { output_changes: { o: change(['create']) } })).hasChanges).toBe(true)
  expect(readPlan(plan([noOp], { applyable: true })).hasChanges).toBe(true)
  expect(readPlan(plan([{ ...noOp, previous_address: 'cloud_thing.b' }])).hasChanges).toBe(true)
})

test(
  'sensitive and unknown values are masked',
  everyCase(
    [
      ['a whole value', { a: 1 }, true, false, sensitive],
      ['a part', { a: { b: 'x', c: 'y' } }, { a: { b: true } }, false, { a: { b: sensitive, c: 'y' } }],
      ['an item', { a: ['x', 'y'] }, { a: [false, true] }, false, { a: ['x', sensitive] }],
      ['what is not known yet', { a: 1 }, {}, { b: true, c: { d: true } }, { a: 1, b: unknown, c: { d: unknown } }],
      ['an item that is not known yet', { a: ['x'] }, {}, { a: [false, true] }, { a: ['x', unknown] }],
      ['what is sensitive and not known yet', { a: 1 }, { b: true }, { b: true }, { a: 1, b: sensitive }],
      ['null', null, false, false, null],
      ['nothing known', null, {}, { a: true }, { a: unknown }],
      ['empty ones', { a: {}, b: [] }, { a: {}, b: [] }, { a: {}, b: [] }, { a: {}, b: [] }],
    ],
    (_, value, isSensitive, isUnknown, shown) => {
      expect(masked(value, isSensitive, isUnknown)).toEqual(shown)
    },
  ),
)

test('secrets are masked wherever they occur', () => {
  const hide = createMask(['pa$$w(rd', 'abc', 'pa$$w(rd-longer'])
  expect(hide({ url: 'db://u:pa$$w(rd-longer@h', list: ['pa$$w(rd', 1, null], abc: 'abc' })).toEqual({
    url: `db://u:${sensitive}@h`,
    list: [sensitive, 1, null],
    abc: 'abc', // too short to be masked
  })
})

test('an apply fills in objects, maps and lists of them if the mask of sensitive values is known', () => {
  const planned = { tags: unknown, rules: unknown, key: unknown, nested: { auth: unknown }, size: 1 }
  const found = {
    tags: { team: 'shop', api_key: 'k' },
    rules: [{ port: 80, token_hash: 'h' }],
    key: { id: 'k-1' },
    nested: { auth: { user: 'u', pass: 'p' } },
    size: 2,
  }
  const mask = { rules: [{ token_hash: true }], key: true, nested: { auth: { pass: true } } }
  expect(fillInKnown(planned, found, mask), 'see filledIn in adapter/sensitive.ts').toEqual({
    tags: { team: 'shop', api_key: sensitive },
    rules: [{ port: 80, token_hash: sensitive }],
    key: sensitive,
    nested: { auth: { user: 'u', pass: sensitive } },
    size: 1,
  })
  expect(fillInKnown(planned, {}, {}), 'what the state does not have stays unknown').toEqual(planned)
})

test('the state is read with its modules, and anything else as an empty state', () => {
  const one = (address: string) => ({ address, values: { id: address }, sensitive_values: { id: true } })
  const child = { address: 'module.a', resources: [{ ...one('module.a.cloud_thing.b'), deposed_key: 'd1' }] }
  const shown = { values: { root_module: { resources: [one('cloud_thing.a')], child_modules: [child, 1] } } }
  expect([...readShownState(shown)]).toEqual([
    ['cloud_thing.a', { values: { id: 'cloud_thing.a' }, isSensitive: { id: true } }],
    ['module.a.cloud_thing.b (deposed d1)', { values: { id: 'module.a.cloud_thing.b' }, isSensitive: { id: true } }],
  ])
  for (const other of [undefined, null, 1, {}, { values: {} }, { values: { root_module: { resources: [1] } } }])
    expect(readShownState(other)).toEqual(new Map())
})

test.each([{}, { sensitive_values: null }])(
  'nothing is filled in for a resource that the tool returns with %j',
  (marks) => {
    const resource = { address: 'cloud_thing.a', values: { id: 'secret', tags: { key: 'secret' } }, ...marks }
    const shown = readShownState({ values: { root_module: { resources: [resource] } } }).get('cloud_thing.a')
    const planned = { id: unknown, tags: unknown }
    expect(fillInKnown(planned, shown?.values, shown?.isSensitive), 'see resourcesIn in shown-state.ts').toEqual(
      planned,
    )
  },
)

test('without a mask of sensitive values, an apply fills in only primitive values', () => {
  const planned = { id: unknown, list: unknown, object: unknown, key: sensitive, nested: { arn: unknown }, size: 1 }
  const found = { id: 'i-1', list: ['a'], object: { password: 'p' }, key: 'k', nested: { arn: 'arn' }, size: 2 }
  expect(fillInKnown(planned, found)).toEqual({
    id: 'i-1',
    list: ['a'],
    object: unknown,
    key: sensitive,
    nested: { arn: 'arn' },
    size: 1,
  })
  expect(fillInKnown(planned, undefined)).toEqual(planned)
  const containers = (password: string) => JSON.stringify([{ name: 'DB_PASSWORD', value: password }])
  expect(
    fillInKnown({ containers: unknown, env: unknown }, { containers: containers('p'), env: ['A_TOKEN=t'] }),
  ).toEqual({
    containers: containers(sensitive),
    env: [`A_TOKEN=${sensitive}`],
  })
})
