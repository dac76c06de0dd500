import { type Deployment, lastLinesTitle } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeFailure } from './failure.ts'

const definition = { arn: 'a', revision: 1, definition: { containerDefinitions: [{ image: 'shop/web:2.0.0' }] } }

const deployment = (status: Deployment['status'], stepCodes: string[] = [], hasBefore = true) =>
  ({
    status,
    data: {
      type: 'cloud:ecs',
      events: stepCodes.map((stepCode) => ({ stepCode })),
      ...(hasBefore && { previousTaskDefinition: definition }),
    },
  }) as unknown as Deployment

const error = { code: 'c', message: '2 tasks did not become healthy.' }
const died = { ...error, metadata: { cause: 'exit code 1', container: 'app' } }
const headline = (one: Deployment, of = died) => describeFailure(one, of, 'web').headline

test(
  'the first line of a failed deployment states the reason',
  everyCase(
    [
      ['exit code 1; web 2.0.0 serves all traffic', deployment('ROLLED_BACK', ['UPDATE_SERVICE'])],
      ['exit code 1; web 2.0.0 is taking over again', deployment('ROLLING_BACK', ['UPDATE_SERVICE'])],
      ['exit code 1; the previous version of web serves all traffic', deployment('ROLLED_BACK', [], false)],
      ['exit code 1; nothing was changed', deployment('ERROR', ['REGISTER_RELEASE'])],
      ['exit code 1', deployment('ERROR', ['REGISTER_RELEASE', 'UPDATE_SERVICE'])],
      ['exit code 1', deployment('CANCELLED')],
    ],
    (words, one) => {
      expect(headline(one)).toBe(words)
    },
  ),
)

test('without a separate cause, the error message is the headline and is not repeated', () => {
  const told = describeFailure(deployment('ROLLED_BACK'), error, 'web')
  expect(told.headline).toBe('2 tasks did not become healthy; web 2.0.0 serves all traffic')
  expect(told.message).toBeUndefined()
})

test('the last log lines come first, then the other details', () => {
  const section = (title: string) => ({ title, render: 'list' as const, items: [title] })
  const details = [section('Stopped tasks'), section(lastLinesTitle)]
  expect(describeFailure(deployment('ROLLED_BACK'), { ...died, details }, 'web')).toMatchObject({
    message: error.message,
    container: 'app',
    lastLines: [lastLinesTitle],
    rest: [{ title: 'Stopped tasks' }],
  })
})
