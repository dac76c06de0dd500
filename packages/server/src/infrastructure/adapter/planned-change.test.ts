import type { IacChangeReason, IacChangeReasons, IacChangeType } from '@sluice/contract'
import { iacChangeReasons } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { readPlan } from './plan.ts'
import type { Change, ResourceChange } from './plan-format.ts'
import { plannedChange } from './planned-change.ts'

type Given = Omit<Partial<ResourceChange>, 'change'> & Partial<Change>

const resourceOf = ({ actions, importing, generated_config, replace_paths, ...more }: Given): ResourceChange => ({
  address: 'cloud_thing.a',
  type: 'cloud_thing',
  name: 'a',
  provider_name: 'registry.example/acme/cloud',
  ...more,
  change: { actions, before: null, after: {}, importing, generated_config, replace_paths } as Change,
})

const because = (reason: IacChangeReason) => ({ action_reason: reason.toLowerCase() })

/** All action lists of the format, each with its API change type and its fixed reasons. */
const actions: [string[], IacChangeType, IacChangeReason[]][] = [
  [['no-op'], 'NO_OP', []],
  [['create'], 'CREATE', []],
  [['read'], 'READ', []],
  [['open'], 'READ', []],
  [['update'], 'UPDATE', []],
  [['delete'], 'DELETE', []],
  [['delete', 'create'], 'REPLACE', []],
  [['create', 'delete'], 'REPLACE', ['CREATE_BEFORE_DESTROY']],
  [['create', 'forget'], 'REPLACE', ['FORGET']],
  [['forget', 'create'], 'REPLACE', ['FORGET']],
  [['forget'], 'FORGET', ['FORGET']],
]

/** Circumstances that can accompany any action, with the reasons they add. */
const circumstances: [string, Given, Parameters<typeof plannedChange>[1], IacChangeReasons][] = [
  ['nothing else', {}, {}, { reasons: [] }],
  ['an import', { importing: { id: 'i-1' } }, {}, { reasons: ['IMPORT'], importId: 'i-1' }],
  ['an import by identity', { importing: {} }, {}, { reasons: ['IMPORT'] }],
  [
    'an import with generated configuration',
    { importing: { id: 'i-1' }, generated_config: 'resource {}' },
    {},
    { reasons: ['IMPORT', 'GENERATED_CONFIG'], importId: 'i-1' },
  ],
  ['a move', { previous_address: 'cloud_thing.b' }, {}, { reasons: ['MOVE'], previousAddress: 'cloud_thing.b' }],
  ['no move', { previous_address: 'cloud_thing.a' }, {}, { reasons: [] }],
  ['a deposed object', { deposed: 'abcd' }, {}, { reasons: ['DEPOSED'] }],
  [
    'replace paths',
    {
      replace_paths: [
        ['tags', 'team'],
        ['disks', 0],
      ],
    },
    {},
    { reasons: [], replacePaths: ['tags.team', 'disks.0'] },
  ],
  ['a change outside', {}, { isOutside: true }, { reasons: ['CHANGED_OUTSIDE'] }],
  ['a deferral', {}, { deferral: 'absent_prereq' }, { reasons: ['DEFERRED_BECAUSE_ABSENT_PREREQ'] }],
  ['a deferral of a new kind', {}, { deferral: 'full_moon' }, { reasons: ['DEFERRED_BECAUSE_UNKNOWN'] }],
  [
    'a deferred import whose ID is unknown',
    { importing: { unknown: true } as object },
    { deferral: 'resource_config_unknown' },
    { reasons: ['IMPORT', 'DEFERRED_BECAUSE_RESOURCE_CONFIG_UNKNOWN'] },
  ],
  ['a reason of a new kind', { action_reason: 'replace_because_of_the_weather' }, {}, { reasons: [] }],
  [
    'a taint, a move and an import',
    { ...because('REPLACE_BECAUSE_TAINTED'), previous_address: 'cloud_thing.b', importing: { id: 'i-1' } },
    {},
    { reasons: ['IMPORT', 'MOVE', 'REPLACE_BECAUSE_TAINTED'], previousAddress: 'cloud_thing.b', importId: 'i-1' },
  ],
  ...iacChangeReasons
    .filter((reason) => /_(BECAUSE|BY)_/.test(reason) && !reason.startsWith('DEFERRED'))
    .map((reason): (typeof circumstances)[number] => [reason, because(reason), {}, { reasons: [reason] }]),
]

type Combination = {
  given: string[]
  action: IacChangeType
  own: IacChangeReason[]
  more: Given
  circumstance: Parameters<typeof plannedChange>[1]
  why: IacChangeReasons
}

const combinations = actions.flatMap(([given, action, own]) =>
  circumstances.map(([name, more, circumstance, why]): [string, Combination] => [
    `${given.join()} with ${name}`,
    { given, action, own, more, circumstance, why },
  ]),
)

const inOrder = (reasons: readonly IacChangeReason[]) => iacChangeReasons.filter((one) => reasons.includes(one))

test(
  'the change type depends only on the actions of the tool, and everything else is a reason',
  everyCase(combinations, (_, { given, action, own, more, circumstance, why }) => {
    const { action: found, why: foundWhy } = plannedChange(resourceOf({ actions: given, ...more }), circumstance)
    const isPureImport = action === 'NO_OP' && why.reasons.includes('IMPORT')
    expect(found).toBe(isPureImport ? 'IMPORT' : action)
    expect({ ...foundWhy, reasons: inOrder(foundWhy.reasons) }).toEqual({
      ...why,
      reasons: inOrder([...own, ...why.reasons]),
    })
    expect(new Set(foundWhy.reasons).size).toBe(foundWhy.reasons.length)
  }),
)

test(
  'every combination is counted by its change type',
  everyCase(
    combinations.filter(([, { circumstance }]) => circumstance?.deferral === undefined),
    (_, { given, action, more, why }) => {
      const plan = { resource_changes: [resourceOf({ actions: given, ...more })] }
      const isPureImport = action === 'NO_OP' && why.reasons.includes('IMPORT')
      expect(readPlan(plan).counts).toEqual({ [isPureImport ? 'IMPORT' : action]: 1 })
    },
  ),
)

test(
  'unknown actions are an error with the actions and the address, because they may destroy resources',
  everyCase([[['explode']], [['delete', 'explode']], [['delete', 'forget']], [[]]], (given) => {
    const message = given.length === 0 ? /no action for cloud_thing\.a/ : /unknown actions .* for cloud_thing\.a/
    expect(() => plannedChange(resourceOf({ actions: given }))).toThrow(message)
    expect(() => readPlan({ resource_changes: [resourceOf({ actions: given })] })).toThrow(message)
  }),
)
