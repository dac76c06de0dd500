import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { describeAction, isKnownAction } from './action-phrases.ts'
import { fieldChanges, sentenceOf } from './sentence.ts'
import { fieldName, valueText } from './values.ts'

const event = (fields: Partial<AuditEvent>): AuditEvent => ({
  id: 'aud_1',
  createdAt: '2026-11-26T10:00:00.000Z',
  organizationId: 'org_1',
  actorType: 'MEMBERSHIP',
  actorId: 'mem_1',
  actorName: 'Ada',
  channel: 'CONSOLE',
  resourceType: 'project',
  resourceId: 'prj_1',
  action: 'projects.create',
  ...fields,
})

const names = new Map([
  ['env_1', 'Production'],
  ['prj_1', 'Shop'],
])

const said = (fields: Partial<AuditEvent>): string => {
  const { action, record, isScope, end } = sentenceOf(event(fields), names)
  return [action, record && (isScope ? `in ${record}` : record), end].filter(Boolean).join(' ')
}

test(
  'an event is a sentence',
  everyCase(
    [
      [{ action: 'projects.create' }, 'created the project Shop'],
      [
        {
          action: 'approval-rules.update',
          resourceId: 'apr_1',
          environmentId: 'env_1',
          before: { requiredApprovals: 1 },
          details: { requiredApprovals: 2 },
        },
        'raised “Required approvals” of the approval rule in Production from 1 to 2',
      ],
      [
        {
          action: 'policies.update',
          resourceId: 'pol_1',
          before: { name: 'No Fridays', mode: 'ENFORCE' },
          details: { name: 'No Fridays', mode: 'WARN' },
        },
        'changed “Mode” of the policy No Fridays from enforce to warn',
      ],
      [
        {
          action: 'policies.update',
          resourceId: 'pol_1',
          before: { name: 'A', mode: 'ENFORCE' },
          details: { name: 'B', mode: 'WARN' },
        },
        'changed the policy B',
      ],
      [{ action: 'holds.create', resourceId: 'hld_1', environmentId: 'env_1' }, 'placed a hold in Production'],
      [{ action: 'sessions.create', resourceId: 'ses_1' }, 'signed in'],
      [{ action: 'api-keys.delete', resourceId: 'key_1', details: { name: 'ci' } }, 'revoked the API key ci'],
      [{ action: 'approval-rules.delete', resourceId: 'apr_1' }, 'deleted an approval rule'],
      [{ action: 'new-things.do-it', resourceId: 'x_1' }, 'do it: a new things'],
    ],
    (fields, sentence) => expect(said(fields)).toBe(sentence),
  ),
)

test(
  'values are words',
  everyCase(
    [
      [true, 'yes'],
      [null, 'not set'],
      [[], 'none'],
      [1500, '1,500'],
      ['PENDING_APPROVAL', 'pending approval'],
      ['env_1', 'Production'],
      [['env_1', 'WARN'], 'Production, warn'],
      ['dep_01jx0000000000000000000000', 'a record without a name'],
      ['Prices are wrong.', 'Prices are wrong.'],
      [{ nested: true }, undefined],
    ],
    (value, words) => expect(valueText(value, names)).toBe(words),
  ),
)

test('fields are words', () => {
  expect(['givenId', 'moduleVersionId', 'teamIds', 'expiresAt', 'run_stack'].map(fieldName)).toEqual([
    'Given ID',
    'Module version',
    'Team',
    'Expires at',
    'Run stack',
  ])
})

test('only fields that differ are changes', () => {
  const changed = { before: { name: 'A', order: ['a', 'b'] }, details: { name: 'A', order: ['b', 'a'] } }
  expect(fieldChanges(event(changed)).map(({ field }) => field)).toEqual(['order'])
})

const server = new URL('../../../../server/src/', import.meta.url).pathname

/** Returns the actions that the server's code records. */
function recordedActions(): string[] {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(test|fixture)\.ts$|^testing/.test(file),
  )
  const found = files.flatMap((file) =>
    [...readFileSync(join(server, file), 'utf8').matchAll(/action: '([a-z-]+\.[a-z-]+)'/g)].map(
      ([, action = '']) => action,
    ),
  )
  return [...new Set(found)]
}

test('every action that the server records has words', () => {
  const actions = recordedActions()
  expect(actions.length).toBeGreaterThan(80)
  expect(actions.filter((action) => !isKnownAction(action))).toEqual([])
  expect(
    actions.filter((action) => /[_.]|-/.test(describeAction(action)) && !/sign-in/i.test(describeAction(action))),
  ).toEqual([])
})
