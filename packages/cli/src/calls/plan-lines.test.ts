import type { ApprovalPlan } from '@sluice/contract'
import { expect, test } from 'vitest'
import { planLines } from './plan-lines.ts'

const plan: ApprovalPlan = { planId: 'iap_1', stackName: 'Network', kind: 'PLAN', changeCounts: {}, lost: [] }
const nothing = { reasonCounts: {}, warnings: [], warningCount: 0, outputChanges: [], outputChangeCount: 0, moves: [] }

test('a plan is described by its changes, losses with reasons, and everything approvers must see', () => {
  const review = {
    ...nothing,
    reasonCounts: { IMPORT: 1, REPLACE_BECAUSE_CANNOT_UPDATE: 1 },
    warningCount: 1,
    outputChangeCount: 1,
    warnings: [{ summary: 'Resource targeting is in effect' }],
    outputChanges: [{ name: 'url', changeType: 'CREATE' as const, after: 'http://a' }],
  }
  const lost = [
    { address: 'queue.a', changeType: 'REPLACE' as const, reasons: ['IMPORT' as const] },
    { address: 'queue.b', changeType: 'DELETE' as const },
  ]
  expect(planLines({ ...plan, changeCounts: { REPLACE: 1, DELETE: 1, NO_OP: 7 }, review, lost })).toEqual([
    'Plan of Network: replace 1, delete 1; 1 imported, 1 cannot be updated in place, 1 output change, 1 warning',
    'replace queue.a (imported)',
    'delete queue.b',
    'Warning: Resource targeting is in effect',
    'Output url: http://a (new)',
  ])
})

test('a plan that only moves a resource, and one without changes, are described as such', () => {
  const moves = [{ address: 'a.new', previousAddress: 'a.old', changeType: 'NO_OP' as const }]
  const review = { ...nothing, reasonCounts: { MOVE: 1 }, moves }
  expect(planLines({ ...plan, review })).toEqual(['Plan of Network: 1 moved', 'a.old has moved to a.new'])
  expect(planLines({ ...plan, review: nothing })).toEqual(['Plan of Network: nothing changes'])
  expect(planLines(plan)).toEqual(['Plan of Network: nothing changes'])
})
