import type { PolicyVerdict } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PolicyEvaluation } from './evaluate.ts'
import {
  approvalVerdicts,
  changedVerdicts,
  denyingVerdicts,
  mergeVerdicts,
  type Override,
  type Policy,
  type PolicyResults,
  policiesFor,
  verdictsOf,
  warningVerdicts,
} from './machine.ts'

const place = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }
const now = new Date('2026-07-01T12:00:00Z')

const where = fc.constantFrom(
  {},
  { projectId: 'prj_1' },
  { projectId: 'prj_1', environmentId: 'env_1' },
  place,
  { projectId: 'prj_2' },
  { projectId: 'prj_1', environmentId: 'env_2' },
)
const isWithin = ({ projectId, environmentId }: { projectId?: string; environmentId?: string }) =>
  projectId !== 'prj_2' && environmentId !== 'env_2'

const policy = fc
  .record({
    where,
    effect: fc.constantFrom('DENY' as const, 'REQUIRE_APPROVAL' as const, 'WARN' as const),
    rollbacks: fc.boolean(),
  })
  .map(({ where, ...rest }) => ({
    ...where,
    ...rest,
    version: 3,
    name: 'One',
    expression: 'true',
    message: 'No.',
    approval: null,
  }))
const policies = fc
  .array(policy, { maxLength: 8 })
  .map((all): Policy[] => all.map((one, index) => ({ ...one, id: `pol_${index}` })))

const answer = fc.constantFrom<PolicyEvaluation | undefined>(
  { verdicts: [{ verdict: 'ALLOWED' }] },
  { verdicts: [{ verdict: 'VIOLATED' }] },
  { verdicts: [{ verdict: 'FAILED', reason: 'no such key' }] },
  { verdicts: [] },
  { fault: { line: 1, column: 1, message: 'There is no such thing.' } },
)
const answers = fc.array(answer, { maxLength: 8 }).map((all): PolicyResults => ({ result: all as PolicyEvaluation[] }))
const asked = fc.oneof(
  answers,
  answers,
  answers,
  fc.constant<PolicyResults>({ trouble: 'too much else of yours is checked' }),
)
const override = fc.record({ policy: fc.nat(7), where, isOver: fc.boolean() }).map(
  ({ policy, where, isOver }): Override => ({
    ...where,
    policyId: `pol_${policy}`,
    until: new Date(now.getTime() + (isOver ? -1 : 60_000)),
    reason: 'The shop is down.',
    createdBy: 'Ada',
  }),
)

test('a subject is evaluated by the policies of its scope, and a rollback only by those that include rollbacks', () => {
  fc.assert(
    fc.property(policies, fc.boolean(), (all, isRollback) => {
      const found = policiesFor(all, { place, isRollback })
      const expected = all.filter((one) => isWithin(one as object) && (one.rollbacks || !isRollback))
      expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
      const effects = found.map(({ effect }) => effect)
      expect(effects).toEqual(effects.toSorted()) // strongest effect first
    }),
  )
})

test('only a result of true, or an active override, passes a policy that denies', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(policies, asked, fc.array(override, { maxLength: 4 }), (all, came, overrides) => {
      const verdicts = verdictsOf(all, came, overrides, { place, now })
      expect(verdicts.map(({ policyId, version }) => [policyId, version])).toEqual(all.map(({ id }) => [id, 3]))
      for (const [index, verdict] of verdicts.entries()) {
        const one = 'result' in came ? came.result[index] : undefined
        const isYes = one !== undefined && 'verdicts' in one && one.verdicts[0]?.verdict === 'ALLOWED'
        const isPast = overrides.some(
          (past) => past.policyId === verdict.policyId && past.until > now && isWithin(past as object),
        )
        const isStopped = denyingVerdicts([verdict]).length > 0
        expect(isStopped).toBe(verdict.effect === 'DENY' && !isYes && !isPast)
        expect(approvalVerdicts([verdict]).length > 0).toBe(verdict.effect === 'REQUIRE_APPROVAL' && !isYes && !isPast)
        expect(warningVerdicts([verdict]).length > 0).toBe(verdict.effect === 'WARN' && !isYes && !isPast)
        expect(verdict.message === undefined).toBe(isYes)
        seen.add(`${verdict.verdict} ${isStopped}`)
      }
    }),
    { numRuns: 300 },
  )
  expect(seen).toEqual(new Set(['ALLOWED false', 'VIOLATED true', 'VIOLATED false', 'FAILED true', 'FAILED false']))
})

test('required approvals stay required after another evaluation, and new denials apply', () => {
  const verdicts = fc
    .tuple(policies, asked, fc.array(override, { maxLength: 4 }))
    .map(([all, came, overrides]) => verdictsOf(all, came, overrides, { place, now }))
  const idsOf = (all: readonly PolicyVerdict[]) => all.map(({ policyId }) => policyId)
  fc.assert(
    fc.property(verdicts, verdicts, (before, by) => {
      const anew = mergeVerdicts(before, by)
      expect(new Set(idsOf(anew)).size).toBe(anew.length)
      expect(idsOf(denyingVerdicts(anew)).toSorted()).toEqual(idsOf(denyingVerdicts(by)).toSorted())
      for (const one of approvalVerdicts(before)) {
        if (!idsOf(denyingVerdicts(by)).includes(one.policyId)) expect(anew).toContainEqual(one)
      }
      for (const one of approvalVerdicts(by)) expect(idsOf(approvalVerdicts(anew))).toContain(one.policyId)
    }),
  )
})

test('a newer version of a policy requires new approvals; if it requires none, those of the previous version apply', () => {
  const asked: PolicyVerdict = {
    policyId: 'pol_0',
    version: 1,
    name: 'One',
    effect: 'REQUIRE_APPROVAL',
    verdict: 'VIOLATED',
    message: 'No.',
  }
  const newer: PolicyVerdict = { ...asked, version: 2 }
  expect(mergeVerdicts([asked], [newer])).toEqual([newer])
  expect(changedVerdicts([asked], [newer])).toEqual([newer])
  expect(mergeVerdicts([asked], [{ ...newer, verdict: 'ALLOWED' }])).toEqual([asked])
  expect(mergeVerdicts([asked], [])).toEqual([asked])
})

test('an override is stored where it was needed, with its reason', () => {
  const one: Policy = {
    id: 'pol_0',
    version: 1,
    name: 'One',
    expression: 'true',
    message: 'No.',
    effect: 'DENY',
    approval: null,
    rollbacks: false,
  }
  const past = { policyId: 'pol_0', until: new Date(now.getTime() + 1), reason: 'The shop is down.', createdBy: 'Ada' }
  const judged = (verdict: 'ALLOWED' | 'VIOLATED'): PolicyVerdict[] =>
    verdictsOf([one], { result: [{ verdicts: [{ verdict }] }] }, [past], { place, now })
  expect(judged('ALLOWED')[0]).not.toHaveProperty('override')
  expect(judged('VIOLATED')[0]).toMatchObject({ override: { reason: 'The shop is down.', createdBy: 'Ada' } })
})
