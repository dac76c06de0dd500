import { failures } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { RetryConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { applyOutcome, applyRunnerLoss } from './attempt.ts'
import { stepRow } from './rows.fixture.ts'

const now = new Date('2026-03-05T12:00:00Z')
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const going = { cancelRequest: null }
const error = { code: 'Sluice:Test:BROKEN', message: 'It broke.' }
const cancelRequest = { by: 'Ada', at: now.toISOString(), error: { code: failures.runCancelled.code, message: 'No.' } }
const working = (more = {}) =>
  stepRow({ status: 'IN_PROGRESS', attemptEpoch: 3, runnerId: 'r1', leaseUntil: inSeconds(30), ...more })
const config = (retry?: RetryConfig): StepConfig => ({ id: 'a', type: 'command', ...(retry && { retry }) })

test('a success ends the step, with its output', () => {
  const step = applyOutcome(working(), config({ attempts: 3 }), going, { status: 'SUCCESS', output: { a: 1 } }, now)
  expect(step).toMatchObject({ status: 'SUCCESS', outputData: { a: 1 }, completedAt: now, error: null })
  expect(step).toMatchObject({ runnerId: null, leaseUntil: null, wakeAt: null })
})

test('a step that succeeded before a cancel reached it has succeeded', () => {
  expect(applyOutcome(working(), config(), { cancelRequest }, { status: 'SUCCESS' }, now).status).toBe('SUCCESS')
})

describe('a failed attempt', () => {
  const failed = (retry: RetryConfig | undefined, more = {}) =>
    applyOutcome(working(more), config(retry), going, { status: 'ERROR', error }, now)

  test('ends the step without a retry', () => {
    expect(failed(undefined)).toMatchObject({ status: 'ERROR', error, completedAt: now })
  })

  test('is retried after a back-off that doubles up to a limit', () => {
    const retry = { attempts: 9, backoff_seconds: 10, max_backoff_seconds: 60 }
    const waits = [0, 1, 2, 3, 7].map((retryAttempt) => failed(retry, { retryAttempt }).deadlineAt)
    expect(waits).toEqual([10, 20, 40, 60, 60].map(inSeconds))
    expect(failed(retry)).toMatchObject({
      status: 'QUEUED',
      queueReason: 'RETRY_BACKOFF',
      queueMetadata: { readyAt: inSeconds(10).toISOString(), error },
      retryAttempt: 1,
      isLastRetry: false,
      attemptEpoch: 3,
      runnerId: null,
    })
  })

  test('is retried with the same commit, and without other earlier findings', () => {
    const progress = { commit: 'abc123', deploymentId: 'dep_1' }
    expect(failed({ attempts: 2 }, { progress }).progress).toEqual({ commit: 'abc123' })
    expect(failed({ attempts: 2 }).progress).toEqual({})
  })

  test('reports which attempt is the last one, and ends with it', () => {
    expect(failed({ attempts: 2 })).toMatchObject({ retryAttempt: 1, isLastRetry: true })
    expect(failed({ attempts: 2 }, { retryAttempt: 1 })).toMatchObject({ status: 'ERROR', retryAttempt: 1 })
  })

  test(
    'is retried only after the listed errors',
    everyCase(
      [
        [['Sluice:Test:BROKEN'], 'QUEUED'],
        [['Sluice:Test:*'], 'QUEUED'],
        [['*'], 'QUEUED'],
        [['Sluice:Other:*', 'Sluice:Test:BROKE'], 'ERROR'],
      ],
      (on, status) => {
        expect(failed({ attempts: 2, on }).status).toBe(status)
      },
    ),
  )

  test('is not retried once the run is cancelled', () => {
    const step = applyOutcome(working(), config({ attempts: 3 }), { cancelRequest }, { status: 'ERROR', error }, now)
    expect(step).toMatchObject({ status: 'ERROR', error })
  })
})

describe('a stopped attempt', () => {
  const stopped = { status: 'CANCELLED' } as const

  test('is cancelled with its run', () => {
    const step = applyOutcome(working(), config({ attempts: 3 }), { cancelRequest }, stopped, now)
    expect(step).toMatchObject({ status: 'CANCELLED', error: cancelRequest.error })
  })

  test('of a run that was not cancelled timed out', () => {
    const step = applyOutcome(working(), { ...config(), timeout_seconds: 90 }, going, stopped, now)
    expect(step).toMatchObject({ status: 'ERROR', error: { code: failures.stepTimedOut.code } })
    expect(step.error?.message).toContain('90 s')
  })

  test('that timed out may be retried', () => {
    const retry = { attempts: 2, on: [failures.stepTimedOut.code] }
    const step = applyOutcome(working({ cancelRequestedAt: now }), config(retry), going, stopped, now)
    expect(step).toMatchObject({ status: 'QUEUED', cancelRequestedAt: null })
  })
})

describe('when its runner is lost, an attempt', () => {
  test('is retried by the policy', () => {
    expect(applyRunnerLoss(working(), config({ attempts: 2 }), going, now).status).toBe('QUEUED')
    expect(applyRunnerLoss(working(), config(), going, now)).toMatchObject({
      status: 'ERROR',
      error: { code: failures.runnerLost.code, metadata: { runnerId: 'r1' } },
    })
  })

  test.each(['iac:apply', 'iac:destroy'] as const)('of %s is never retried automatically', (type) => {
    const step = applyRunnerLoss(working({ stepType: type }), { ...config({ attempts: 5 }), type }, going, now)
    expect(step).toMatchObject({ status: 'ERROR', error: { code: failures.runnerLost.code } })
  })

  test('is cancelled with its run', () => {
    expect(applyRunnerLoss(working(), config({ attempts: 2 }), { cancelRequest }, now).status).toBe('CANCELLED')
  })
})
