import type { Deployment, DeploymentEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { waitWords } from './wait-words.ts'

const event = (stepCode: DeploymentEvent['stepCode'], message: string) => ({ stepCode, message }) as DeploymentEvent
const deployment = (status: Deployment['status'], ...events: DeploymentEvent[]) =>
  ({ status, data: { events } }) as Deployment

const behind = event('QUEUED', 'It waits for another one')
const frozen = event('QUEUED', 'It waits for the end of the freeze “Holidays”')

test('one that has not begun says what it waits for now', () => {
  expect(waitWords(deployment('PENDING', behind, frozen))).toBe('It waits for the end of the freeze “Holidays”')
  expect(waitWords(deployment('PENDING'))).toBeUndefined()
})

test('the way out is told as people go it, not as programs do', () => {
  const held = event(
    'QUEUED',
    'Ada has held it: Why. Whoever may deploy there can let it go: POST /holds/hld_1/release.',
  )
  expect(waitWords(deployment('PENDING', held))).toBe('Ada has held it: Why. Whoever may deploy there can let it go.')
})

test('one that has begun waits for nothing any more', () => {
  expect(waitWords(deployment('IN_PROGRESS', frozen))).toBeUndefined()
  expect(waitWords(deployment('PENDING', frozen, event('INIT', 'It begins')))).toBeUndefined()
})
