import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type PlanFile, readPlan } from './plan.ts'
import { filledIn, hiding, masked, sensitive, unknown } from './sensitive.ts'

const identity = { mode: 'managed', type: 'cloud_thing', name: 'a', provider_name: 'registry.example/acme/cloud' }
const change = (actions: string[], more: object = {}) => ({ actions, before: null, after: {}, ...more })
const plan = (changes: object[], more: object = {}) => ({ resource_changes: changes, ...more }) as unknown as PlanFile

test(
  'the change type follows from the planned actions',
  everyCase(
    [
      [['no-op'], {}, 'NO_OP'],
      [['create'], {}, 'CREATE'],
      [['read'], {}, 'READ'],
      [['update'], {}, 'UPDATE'],
      [['delete'], {}, 'DELETE'],
      [['delete', 'create'], {}, 'REPLACE'],
      [['create', 'delete'], {}, 'REPLACE'],
      [['create', 'forget'], {}, 'REPLACE'],
      [['forget'], {}, 'FORGET'],
      [['no-op'], { importing: { id: 'i' } }, 'IMPORT'],
      [['update'], { importing: { id: 'i' } }, 'IMPORT'],
    ],
    (actions, more, changeType) => {
      const { resources, counts } = readPlan(
        plan([{ address: 'cloud_thing.a', ...identity, change: change(actions, more) }]),
      )
      expect(resources).toMatchObject([{ changeType }])
      expect(counts).toEqual({ [changeType]: 1 })
    },
  ),
)

test('a resource is told with all that the plan says of it', () => {
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
      driftStatus: 'DRIFTED',
      isInState: true,
      isTainted: true,
      before: { size: 1 },
      after: { size: 2 },
    },
    expect.objectContaining({ address: 'cloud_thing.a (deposed abcd)', changeType: 'DELETE', indexKey: undefined }),
  ])
})

test('looking for drift tells of everything that the state has', () => {
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

test('whether a plan changes anything', () => {
  const noOp = { address: 'cloud_thing.a', ...identity, change: change(['no-op']) }
  expect(readPlan(plan([noOp])).hasChanges).toBe(false)
  expect(readPlan(plan([noOp], { output_changes: { o: change(['create']) } })).hasChanges).toBe(true)
  expect(readPlan(plan([noOp], { applyable: true })).hasChanges).toBe(true)
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

test('secrets are hidden wherever they turn up', () => {
  const hide = hiding(['pa$$w(rd', 'abc', 'pa$$w(rd-longer'])
  expect(hide({ url: 'db://u:pa$$w(rd-longer@h', list: ['pa$$w(rd', 1, null], abc: 'abc' })).toEqual({
    url: `db://u:${sensitive}@h`,
    list: [sensitive, 1, null],
    abc: 'abc', // too short to be told from chance
  })
})

test('an apply fills in plain values only', () => {
  const planned = { id: unknown, list: unknown, object: unknown, key: sensitive, nested: { arn: unknown }, size: 1 }
  const found = { id: 'i-1', list: ['a'], object: { password: 'p' }, key: 'k', nested: { arn: 'arn' }, size: 2 }
  expect(filledIn(planned, found)).toEqual({
    id: 'i-1',
    list: ['a'],
    object: unknown,
    key: sensitive,
    nested: { arn: 'arn' },
    size: 1,
  })
  expect(filledIn(planned, undefined)).toEqual(planned)
})
