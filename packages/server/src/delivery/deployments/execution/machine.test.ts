import { type DeploymentStatus, deploymentStatuses } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { admit, canTransition, isFinal, type QueuePolicy } from './machine.ts'

describe('the statuses of a deployment', () => {
  // Copied from the decisions that complete the interface, not from the table under test.
  const legal = new Set([
    'PENDING→IN_PROGRESS',
    'PENDING→CANCELLED',
    'IN_PROGRESS→SUCCESS',
    'IN_PROGRESS→ERROR',
    'IN_PROGRESS→CANCELLED',
    'IN_PROGRESS→ROLLING_BACK',
    'ROLLING_BACK→ROLLED_BACK',
    'ROLLING_BACK→ERROR',
  ])
  const pairs = deploymentStatuses.flatMap((from) =>
    deploymentStatuses.map((to): [DeploymentStatus, DeploymentStatus] => [from, to]),
  )

  test(
    'change only along legal transitions',
    everyCase(pairs, (from, to) => {
      expect(canTransition(from, to)).toBe(from === to || legal.has(`${from}→${to}`))
    }),
  )

  test('include four final ones', () => {
    expect(deploymentStatuses.filter(isFinal).sort()).toEqual(['CANCELLED', 'ERROR', 'ROLLED_BACK', 'SUCCESS'])
  })
})

describe('the queue of a module instance', () => {
  const oldest = (queueSize: number): QueuePolicy => ({ queueSize, queueOverflow: 'oldest' })
  const newest = (queueSize: number): QueuePolicy => ({ queueSize, queueOverflow: 'newest' })
  const reject = (queueSize: number): QueuePolicy => ({ queueSize, queueOverflow: 'reject' })

  test(
    'admits, queues or rejects a new deployment',
    everyCase(
      [
        ['nothing runs: it is about to start', oldest(0), [], false, { accept: 'waits', superseded: [] }],
        ['one runs and nobody waits', oldest(1), [], true, { accept: 'waits', superseded: [] }],
        ['one is about to start and nobody waits', oldest(1), ['a'], false, { accept: 'waits', superseded: [] }],
        ['the oldest gives way', oldest(1), ['a'], true, { accept: 'waits', superseded: ['a'] }],
        [
          'the one about to start does not give way',
          oldest(1),
          ['a', 'b'],
          false,
          { accept: 'waits', superseded: ['b'] },
        ],
        [
          'the policy became stricter',
          oldest(1),
          ['a', 'b', 'c'],
          true,
          { accept: 'waits', superseded: ['a', 'b', 'c'] },
        ],
        ['the newest gives way: the new one', newest(1), ['a'], true, { accept: 'gives-way', to: 'a' }],
        ['the new one is refused', reject(1), ['a'], true, { accept: 'no' }],
        ['nobody may wait', oldest(0), [], true, { accept: 'no' }],
      ] as const,
      (_, policy, pending, hasActive, admission) => {
        expect(admit(policy, pending, hasActive)).toEqual(admission)
      },
    ),
  )

  test('never exceeds the size that the policy sets', () => {
    const policies = fc.record({
      queueSize: fc.nat(5),
      queueOverflow: fc.constantFrom('oldest' as const, 'newest' as const, 'reject' as const),
    })
    fc.assert(
      fc.property(policies, fc.array(fc.boolean(), { maxLength: 30 }), (policy, moves) => {
        let pending: string[] = []
        let hasActive = false
        for (const [index, arrives] of moves.entries()) {
          if (arrives) {
            const admission = admit(policy, pending, hasActive)
            if (admission.accept === 'waits') {
              pending = [...pending.filter((id) => !admission.superseded.includes(id)), `d${index}`]
            }
          } else {
            hasActive = pending.shift() !== undefined // the active one ends and the next starts
          }
          const waiting = hasActive ? pending.length : Math.max(0, pending.length - 1)
          expect(waiting).toBeLessThanOrEqual(policy.queueSize)
        }
      }),
    )
  })
})
