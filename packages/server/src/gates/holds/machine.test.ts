import { failures } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { activeHolds, isRollbackOfDefect, messageFor } from './machine.ts'

const hold = (of: Partial<Parameters<typeof messageFor>[0][0]> = {}) => ({
  id: 'hld_1',
  createdAt: new Date('2026-03-01T10:00:00Z'),
  reason: 'Prices are wrong',
  heldBy: 'Ada Lovelace',
  environmentId: 'env_1',
  moduleInstanceId: null,
  liftedAt: null,
  ...of,
})
const wayOut = 'Anyone with the permission holds:write can lift the hold: POST /holds/hld_1/lift.'
const target = { environmentId: 'env_1', moduleInstanceId: 'mi_1' }

const anyHold = fc
  .record({
    createdAt: fc.date({ min: new Date(0), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true }),
    environmentId: fc.constantFrom('env_1', 'env_2'),
    moduleInstanceId: fc.constantFrom(null, 'mi_1', 'mi_2'),
    liftedAt: fc.constantFrom(null, new Date(0)),
  })
  .map(hold)

test('an instance is held by the active holds of itself and its environment, oldest first', () => {
  fc.assert(
    fc.property(fc.array(anyHold), (holds) => {
      const found = activeHolds(holds, target)
      for (const one of holds) {
        const isItsOwn = one.moduleInstanceId === 'mi_1'
        const isOfAll = one.moduleInstanceId === null && one.environmentId === 'env_1'
        expect(found.includes(one)).toBe(one.liftedAt === null && (isItsOwn || isOfAll))
      }
      const since = found.map(({ createdAt }) => createdAt.getTime())
      expect(since).toEqual(since.toSorted((a, b) => a - b))
    }),
  )
})

test('the message has the author, time and reason of a hold, and who can lift it', () => {
  expect(messageFor([hold()])).toBe(
    `Ada Lovelace has held it since 2026-03-01T10:00:00.000Z: Prices are wrong. ${wayOut}`,
  )
  expect(messageFor([hold({ reason: 'Wait!' }), hold()])).toContain(
    ': Wait! One more hold must be lifted after that. Anyone',
  )
  expect(messageFor([hold(), hold(), hold()])).toContain('wrong. 2 more holds must be lifted after that. Anyone')
})

test(
  'a failed release creates a hold only if its configuration says so',
  everyCase(
    [
      ['was rolled back by the cloud', 'ROLLED_BACK', 'API', failures.tasksUnhealthy.code, true],
      ['was released by others and rolled back', 'ROLLED_BACK', 'EXTERNAL', undefined, true],
      ['returned to an earlier one', 'SUCCESS', 'ROLLBACK', undefined, true],
      ['was rolled back while it returned to an earlier one', 'ROLLED_BACK', 'ROLLBACK', undefined, true],
      ['went well', 'SUCCESS', 'API', undefined, false],
      ['failed and left what it did', 'ERROR', 'API', failures.cloudRefused.code, false],
      ['was cancelled while it ran', 'ROLLED_BACK', 'API', failures.cancelled.code, false],
      [
        'made place for a rollback, which counts itself',
        'ROLLED_BACK',
        'API',
        failures.rolledBackOnRequest.code,
        false,
      ],
    ] as const,
    (_how, status, triggerSource, code, isIt) => {
      expect(isRollbackOfDefect({ status, triggerSource, error: code === undefined ? null : { code } })).toBe(isIt)
    },
  ),
)
