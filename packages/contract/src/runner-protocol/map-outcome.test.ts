import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import type { Outcome } from './attempt.ts'
import { mapOutcome } from './map-outcome.ts'

/** Masks texts and names like the mask of secrets. */
function hide<Value>(value: Value): Value {
  const hidden = JSON.stringify(value).replaceAll(/SUCCESS|ERROR|list|secret/g, '***')
  return JSON.parse(hidden) as Value
}

test(
  'a secret equal to a status or a field name of an outcome does not change it',
  everyCase<[Outcome, Outcome]>(
    [
      [{ status: 'CANCELLED' }, { status: 'CANCELLED' }],
      [{ status: 'SUCCESS' }, { status: 'SUCCESS' }],
      [
        {
          status: 'SUCCESS',
          output: { secret: 'SUCCESS' },
          omittedValues: [{ path: 'output.secret', reason: 'a list' }],
        },
        { status: 'SUCCESS', output: { '***': '***' }, omittedValues: [{ path: 'output.***', reason: 'a ***' }] },
      ],
      [
        {
          status: 'ERROR',
          error: {
            code: 'SECRET_ERROR',
            message: 'secret',
            details: [{ title: 'list', render: 'list', items: ['secret'] }],
            metadata: { secret: 1 },
          },
        },
        {
          status: 'ERROR',
          error: {
            code: 'SECRET_ERROR',
            message: '***',
            details: [{ title: '***', render: 'list', items: ['***'] }],
            metadata: { '***': 1 },
          },
        },
      ],
    ],
    (outcome, hidden) => {
      expect(mapOutcome(outcome, hide)).toEqual(hidden)
    },
  ),
)
