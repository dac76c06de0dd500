import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type Action, afterRun, type RunEnd } from './machine.ts'

const error = { code: 'Sluice:Iac:FAILED', message: 'It failed.' }
const end = (more: Partial<RunEnd>): RunEnd => ({
  action: 'change',
  status: 'SUCCESS',
  hasTouched: true,
  isRejected: false,
  error: null,
  ...more,
})

describe('after a run, an instance', () => {
  test(
    'has the right status',
    everyCase<[string, Partial<RunEnd>, boolean, ReturnType<typeof afterRun>]>(
      [
        ['active when it was applied', {}, false, { status: 'ACTIVE', error: null }],
        ['destroyed when it was destroyed', { action: 'destroy' }, true, { status: 'DESTROYED', error: null }],
        ['in error when it failed', { status: 'ERROR', error }, true, { status: 'ERROR', error }],
        [
          'in error when its plan failed',
          { status: 'ERROR', hasTouched: false, error },
          true,
          { status: 'ERROR', error },
        ],
        [
          'as it was when it was cancelled in time',
          { status: 'CANCELLED', hasTouched: false, error },
          true,
          { status: 'ACTIVE', error: null },
        ],
        [
          'pending when it was the first',
          { status: 'CANCELLED', hasTouched: false, error },
          false,
          { status: 'PENDING', error: null },
        ],
        ['in error when it was cancelled too late', { status: 'CANCELLED', error }, true, { status: 'ERROR', error }],
        [
          'as it was when it was turned down',
          { status: 'ERROR', isRejected: true, hasTouched: false, error },
          true,
          { status: 'ACTIVE', error: null },
        ],
      ],
      (_, more, isApplied, left) => {
        expect(afterRun(end(more), isApplied)).toEqual(left)
      },
    ),
  )

  test.each<Action>(['change', 'destroy'])('is not in progress: %s', (action) => {
    for (const status of ['SUCCESS', 'ERROR', 'CANCELLED'] as const) {
      for (const hasTouched of [true, false]) {
        const { status: left } = afterRun(end({ action, status, hasTouched, error }), true)
        expect(['ACTIVE', 'ERROR', 'DESTROYED']).toContain(left)
      }
    }
  })
})
