import type { Deployment, DeploymentEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { queueMessage } from './queue-message.ts'

const event = (stepCode: DeploymentEvent['stepCode'], message: string) => ({ stepCode, message }) as DeploymentEvent
const deployment = (status: Deployment['status'], ...events: DeploymentEvent[]) =>
  ({ status, data: { events } }) as Deployment

const behind = event('QUEUED', 'It waits for another one')
const frozen = event('QUEUED', 'Waits for the end of the freeze “Holidays”')

test('a queued deployment shows what it waits for', () => {
  expect(queueMessage(deployment('PENDING', behind, frozen))).toBe('Waits for the end of the freeze “Holidays”')
  expect(queueMessage(deployment('PENDING'))).toBeUndefined()
})

test('the message omits the API call, because the console has a button for it', () => {
  const held = event(
    'QUEUED',
    'Ada has held it: Why. Anyone with the permission holds:write can lift the hold: POST /holds/hld_1/lift.',
  )
  expect(queueMessage(deployment('PENDING', held))).toBe(
    'Ada has held it: Why. Anyone with the permission holds:write can lift the hold.',
  )
})

test('a started deployment waits for nothing', () => {
  expect(queueMessage(deployment('IN_PROGRESS', frozen))).toBeUndefined()
  expect(queueMessage(deployment('PENDING', frozen, event('INIT', 'It begins')))).toBeUndefined()
})
