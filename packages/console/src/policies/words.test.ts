import type { PolicyVerdict } from '@sluice/contract'
import { expect, test } from 'vitest'
import { outcomeOf } from './words.ts'

const override = { reason: 'The shop is down.', createdBy: 'Ada' }

test.each<[Pick<PolicyVerdict, 'verdict' | 'effect' | 'override'>, string | undefined]>([
  [{ verdict: 'ALLOWED', effect: 'DENY' }, undefined],
  [{ verdict: 'ALLOWED', effect: 'WARN' }, undefined],
  [{ verdict: 'VIOLATED', effect: 'WARN' }, 'Only warned'],
  [{ verdict: 'FAILED', effect: 'WARN' }, 'Only warned'],
  [{ verdict: 'VIOLATED', effect: 'DENY' }, 'Stopped'],
  [{ verdict: 'FAILED', effect: 'REQUIRE_APPROVAL' }, 'Asks for approval'],
  [{ verdict: 'FAILED', effect: 'DENY' }, 'Stopped'],
  [{ verdict: 'VIOLATED', effect: 'DENY', override }, 'Let past'],
  [{ verdict: 'FAILED', effect: 'DENY', override }, 'Let past'],
])('of %j a person reads %s', (came, words) => {
  expect(outcomeOf({ policyId: 'pol_1', version: 1, name: 'No latest', ...came })?.label).toBe(words)
})
