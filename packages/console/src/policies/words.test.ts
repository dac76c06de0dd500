import type { PolicyVerdict } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { outcomeOf } from './words.ts'

const override = { reason: 'The shop is down.', createdBy: 'Ada' }

test(
  'the decision of a policy is described',
  everyCase<[Pick<PolicyVerdict, 'verdict' | 'effect' | 'override'>, string | undefined]>(
    [
      [{ verdict: 'ALLOWED', effect: 'DENY' }, undefined],
      [{ verdict: 'ALLOWED', effect: 'WARN' }, undefined],
      [{ verdict: 'VIOLATED', effect: 'WARN' }, 'Only warned'],
      [{ verdict: 'FAILED', effect: 'WARN' }, 'Only warned'],
      [{ verdict: 'VIOLATED', effect: 'DENY' }, 'Stopped'],
      [{ verdict: 'FAILED', effect: 'REQUIRE_APPROVAL' }, 'Asks for approval'],
      [{ verdict: 'FAILED', effect: 'DENY' }, 'Stopped'],
      [{ verdict: 'VIOLATED', effect: 'DENY', override }, 'Let past'],
      [{ verdict: 'FAILED', effect: 'DENY', override }, 'Let past'],
    ],
    (came, words) => {
      expect(outcomeOf({ policyId: 'pol_1', version: 1, name: 'No latest', ...came })?.label).toBe(words)
    },
  ),
)
