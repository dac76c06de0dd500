import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PolicyVerdict } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { approvalGate } from './approval-rules/machine.ts'
import { evaluate, type GateName, type LoadedGate, type Moment, type Subject } from './evaluate.ts'
import { freezeGate } from './freezes/machine.ts'
import { holdGate } from './holds/machine.ts'
import { gates } from './load.ts'
import { policyGate } from './policies/machine.ts'

const now = new Date('2026-03-05T12:00:00Z')
const until = new Date('2026-03-06T12:00:00Z')
const scope = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }
type Mode = 'ENFORCE' | 'WARN'

const hold = holdGate([
  { id: 'hld_1', createdAt: now, reason: 'Wait', heldBy: 'Ada', liftedAt: null, ...scope, moduleInstanceId: null },
])

const freeze = (of: { mode?: Mode; onRelease?: 'WAIT' | 'REJECT'; afterwards?: 'ALL' | 'NEWEST' } = {}) =>
  freezeGate({
    freezes: [
      {
        id: 'frz_1',
        name: 'Holidays',
        reason: null,
        mode: 'ENFORCE',
        onRelease: 'WAIT',
        afterwards: 'ALL',
        stops: ['RELEASES', 'ROLLBACKS', 'CONTINUES', 'APPLIES'],
        ...of,
        window: { from: '2026-03-01T00:00:00Z', until: until.toISOString() },
      },
    ],
    overrides: [],
  })

const approvals = (of: { mode?: Mode; isExpired?: boolean } = {}) => ({
  names: new Map(),
  demands: [
    {
      rule: {
        id: 'apr_1',
        name: 'Two',
        reason: null,
        requiredApprovals: 2,
        teamIds: [],
        excludeStarter: false,
        excludeAuthor: false,
        serviceAccounts: false,
        expiresAfterMinutes: null,
        rollbacks: true,
        guards: ['DEPLOYMENTS' as const],
        mode: of.mode ?? ('ENFORCE' as const),
      },
      given: 0,
      isMet: false,
      expiresAt: of.isExpired ? now : until,
    },
  ],
})

const verdicts = (effect: PolicyVerdict['effect']): PolicyVerdict[] => [
  { policyId: 'pol_1', version: 1, name: 'Tags', effect, verdict: 'VIOLATED', message: 'No.' },
]
const policy = (effect: PolicyVerdict['effect']) => policyGate({ before: [], verdicts: verdicts(effect) })

/** Gates that block a release at its start, by name. */
const closed: Record<GateName, LoadedGate> = {
  HOLD: hold,
  FREEZE: freeze(),
  APPROVAL_RULE: approvalGate(approvals()),
  POLICY: policy('DENY'),
}
const open: Record<GateName, LoadedGate> = {
  HOLD: holdGate([]),
  FREEZE: freezeGate({ freezes: [], overrides: [] }),
  APPROVAL_RULE: approvalGate({ demands: [], names: new Map() }),
  POLICY: policyGate({ before: [], verdicts: [] }),
}
const order = gates.map(({ name }) => name)
const release: Subject = { moment: 'START', action: 'RELEASES', scope }

test('gates are evaluated in the order that evaluate.ts and docs/reference/release-gates.md state', () => {
  expect(order).toEqual(['HOLD', 'FREEZE', 'APPROVAL_RULE', 'POLICY'])
})

test('the first gate in the order that blocks a subject decides, and without one it proceeds', () => {
  fc.assert(
    fc.property(fc.subarray(order), (blocking) => {
      const loaded = order.map((name) => (blocking.includes(name) ? closed : open)[name])
      const { decision } = evaluate(loaded, release, now)
      expect('gate' in decision ? decision.gate : undefined).toBe(blocking[0])
      expect(decision.decision).toBe(blocking.length === 0 ? 'proceed' : decisionOf[blocking[0] as GateName])
    }),
  )
})
const decisionOf = { HOLD: 'wait', FREEZE: 'wait', APPROVAL_RULE: 'requireApproval', POLICY: 'cancel' }

/** Closed gate, the subject, and the expected decision. */
type Case = [string, LoadedGate, Partial<Subject> & { moment: Moment }, string, Date?]
const cases: Case[] = [
  ['a hold lets a rollback start', hold, { moment: 'START', action: 'ROLLBACKS' }, 'proceed'],
  ['a freeze lets a release be queued', freeze(), { moment: 'REQUEST' }, 'proceed'],
  ['a freeze that refuses denies it', freeze({ onRelease: 'REJECT' }), { moment: 'REQUEST' }, 'deny'],
  ['a freeze has a queued release wait', freeze({ onRelease: 'REJECT' }), { moment: 'START' }, 'wait', until],
  [
    'a freeze cancels a release with a newer one behind it',
    freeze({ afterwards: 'NEWEST' }),
    { moment: 'START', hasNewerQueued: true },
    'cancel',
  ],
  [
    'a freeze never cancels a rollback for a newer release',
    freeze({ afterwards: 'NEWEST' }),
    { moment: 'START', action: 'ROLLBACKS', hasNewerQueued: true },
    'wait',
    until,
  ],
  ['a freeze denies to continue', freeze(), { moment: 'CONTINUE', action: 'CONTINUES' }, 'deny'],
  [
    'a freeze has checks wait to continue',
    freeze(),
    { moment: 'CONTINUE_AUTOMATICALLY', action: 'CONTINUES' },
    'wait',
    until,
  ],
  ['a freeze has an apply wait', freeze(), { moment: 'APPLY', action: 'APPLIES' }, 'wait', until],
  ['a freeze that only warns', freeze({ mode: 'WARN' }), { moment: 'START' }, 'proceed'],
  ['approvals that are missing', approvalGate(approvals()), { moment: 'START' }, 'requireApproval', until],
  ['approvals that expired', approvalGate(approvals({ isExpired: true })), { moment: 'START' }, 'cancel'],
  ['a rule that only warns', approvalGate(approvals({ mode: 'WARN' })), { moment: 'START' }, 'proceed'],
  ['a policy denies a request', policy('DENY'), { moment: 'REQUEST' }, 'deny'],
  ['a policy cancels what was queued', policy('DENY'), { moment: 'START' }, 'cancel'],
  ['a policy denies to apply a plan', policy('DENY'), { moment: 'TAKE_PLAN' }, 'deny'],
  ['a policy asks for approvals of what is queued later', policy('REQUIRE_APPROVAL'), { moment: 'REQUEST' }, 'proceed'],
  [
    'a policy requires more approvals',
    policyGate({ before: [], verdicts: verdicts('REQUIRE_APPROVAL'), approvals: approvals() }),
    { moment: 'START' },
    'requireApproval',
    until,
  ],
  [
    'a policy denies to apply a plan without the approvals',
    policyGate({
      before: [],
      verdicts: [{ ...verdicts('REQUIRE_APPROVAL')[0], policyId: 'apr_1' } as PolicyVerdict],
      approvals: approvals(),
    }),
    { moment: 'TAKE_PLAN' },
    'deny',
  ],
  ['a policy that only warns', policy('WARN'), { moment: 'START' }, 'proceed'],
]

test(
  'the type of a gate and the moment determine whether a blocked subject waits, is denied or is cancelled',
  everyCase(cases, (...row: Case) => {
    const [name, gate, subject, expected, again] = row
    const { decision } = evaluate([gate], { ...release, ...subject }, now)
    expect(decision.decision, name).toBe(expected)
    if ('until' in decision) expect(decision.until, `${name}: when to evaluate again`).toEqual(again)
  }),
)

describe('warnings', () => {
  const warning = [freeze({ mode: 'WARN' }), approvalGate(approvals({ mode: 'WARN' })), policy('WARN')]

  test('are returned for a subject that proceeds, but not for a blocked one, which is evaluated again', () => {
    const { warnings } = evaluate(warning, release, now)
    expect(warnings.map(({ rules }) => rules)).toEqual(['freezes', 'approval-rules', 'policies'])
    expect(evaluate([...warning, closed.POLICY], release, now).warnings).toEqual([])
  })

  test('are written to the audit log only by warnings.ts', () => {
    const source = fileURLToPath(new URL('..', import.meta.url))
    const files = globSync('**/*.ts', { cwd: source }).filter((path) => !/(?:\.test|\.fixture)\.ts$/.test(path))
    const writing = files.filter((path) =>
      /action: ['"`][^'"`]*\.warn['"`]/.test(readFileSync(join(source, path), 'utf8')),
    )
    expect(writing, 'give these to recordWarnings of gates/warnings.ts').toEqual(['gates/warnings.ts'])
  })
})
