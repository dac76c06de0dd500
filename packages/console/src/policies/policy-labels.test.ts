import type { PolicyVerdict } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { policyOutcome } from './policy-labels.ts'

const override = { reason: 'The shop is down.', createdBy: 'Ada' }

test(
  'the decision of a policy is described',
  everyCase<[Pick<PolicyVerdict, 'verdict' | 'effect' | 'override'>, string | undefined]>(
    [
      [{ verdict: 'ALLOWED', effect: 'DENY' }, undefined],
      [{ verdict: 'ALLOWED', effect: 'WARN' }, undefined],
      [{ verdict: 'VIOLATED', effect: 'WARN' }, 'Warning'],
      [{ verdict: 'FAILED', effect: 'WARN' }, 'Warning'],
      [{ verdict: 'VIOLATED', effect: 'DENY' }, 'Blocked'],
      [{ verdict: 'FAILED', effect: 'REQUIRE_APPROVAL' }, 'Requires approval'],
      [{ verdict: 'FAILED', effect: 'DENY' }, 'Blocked'],
      [{ verdict: 'VIOLATED', effect: 'DENY', override }, 'Overridden'],
      [{ verdict: 'FAILED', effect: 'DENY', override }, 'Overridden'],
    ],
    (came, words) => {
      expect(policyOutcome({ policyId: 'pol_1', version: 1, name: 'No latest', ...came })?.label).toBe(words)
    },
  ),
)
