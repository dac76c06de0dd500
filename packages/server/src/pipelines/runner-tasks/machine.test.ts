import { failures } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import {
  type AttemptState,
  decideObserved,
  decideUnobserved,
  decideUnstarted,
  type RunnerTaskDecision,
  type TaskSituation,
  waitMs,
} from './machine.ts'
import type { RunnerTaskRow } from './tables.ts'

const begunAt = new Date('2026-11-23T08:00:00Z')
const after = (seconds: number) => new Date(begunAt.getTime() + seconds * 1000)

const row: RunnerTaskRow = {
  id: 'tsk_1',
  createdAt: begunAt,
  updatedAt: begunAt,
  organizationId: 'org_1',
  executionEnvironmentId: 'ee_1',
  stepExecutionId: 'step_1',
  attemptEpoch: 1,
  status: 'STARTED',
  tokenHash: 'h',
  redeemedByHash: null,
  claimedAt: null,
  place: null,
  taskArn: 'arn:aws:ecs:eu-west-1:111122223333:task/sluice-runners/1',
  overAt: null,
  stopRequestedAt: null,
  trouble: null,
  idleLooks: 0,
  deadlineAt: after(600),
  revision: 0,
  wakeAt: begunAt,
  wakeSeq: 0,
}

const stand = (attempt: AttemptState, task: Partial<RunnerTaskRow> = {}, now = after(10)): TaskSituation => ({
  task: { ...row, ...task },
  attempt,
  stepName: 'build',
  now,
})

/** Returns the parts of a decision in short form. */
const shortForm = (decision: RunnerTaskDecision | 'start') =>
  decision === 'start'
    ? 'start'
    : [
        decision.stop && 'stop',
        decision.outcome?.status === 'ERROR' ? decision.outcome.error.code : decision.outcome?.status,
        decision.next.status === 'ENDED' && 'end',
      ]
        .filter(Boolean)
        .join(' ')

const notStarted = failures.runnerTaskNotStarted.code
const cutOff = failures.runnerTaskEnded.code
const claimedAt = after(5)
const runs = { hasEnded: false, reason: '' }
const died = { hasEnded: true, reason: 'OutOfMemoryError', exitCode: 137 }

test(
  'a task that has not started is started, or its attempt ends',
  everyCase(
    [
      ['it is asked for', stand('under way'), 'start'],
      ['it is late', stand('under way', {}, after(600)), `${notStarted} end`],
      ['its step is cancelled', stand('to stop'), 'CANCELLED end'],
      ['its attempt is over', stand('over'), 'end'],
    ],
    (_, given, expected) => {
      expect(shortForm(decideUnstarted(given))).toBe(expected)
    },
  ),
)

test(
  'the observed state of a task ends the attempt or stops the task',
  everyCase(
    [
      ['comes up', stand('under way'), runs, ''],
      ['does not come up in time', stand('under way', {}, after(600)), runs, `stop ${notStarted}`],
      ['runs for long', stand('under way', { claimedAt }, after(86_000)), runs, ''],
      ['dies before it has the attempt', stand('under way'), died, `${notStarted} end`],
      ['dies with the attempt', stand('under way', { claimedAt }), died, `${cutOff} end`],
      ['is not known any more', stand('under way', { claimedAt }), undefined, `${cutOff} end`],
      ['is cancelled before it has the attempt', stand('to stop'), runs, 'stop CANCELLED'],
      ['is cancelled, and told by the API', stand('to stop', { claimedAt }), runs, ''],
      ['is cancelled and dies', stand('to stop', { claimedAt }), died, 'CANCELLED end'],
      ['has done its work and says goodbye', stand('over', { claimedAt }), runs, ''],
      ['does not end by itself', stand('over', { claimedAt, overAt: begunAt }, after(60)), runs, 'stop'],
      ['was never needed', stand('over'), runs, 'stop'],
      ['was asked to stop a moment ago', stand('over', { stopRequestedAt: after(1) }), runs, ''],
      ['was asked to stop long ago', stand('over', { stopRequestedAt: begunAt }, after(150)), runs, 'stop'],
      ['has ended after its work', stand('over', { claimedAt }), died, 'end'],
      ['is gone after its work', stand('over', { claimedAt }), undefined, 'end'],
    ] as const,
    (_, given, seen, expected) => {
      expect(shortForm(decideObserved(given, seen))).toBe(expected)
    },
  ),
)

const place = { cloudAccountId: 'ca', region: 'r', clusterName: 'c', taskDefinitionArn: 'd', logGroupName: 'l' }

test(
  'while the cloud does not respond, a task ends only after its time limit',
  everyCase(
    [
      ['runs', stand('under way', { claimedAt }, after(86_000)), ''],
      ['may be there and is late', stand('under way', { status: 'STARTING', place }, after(600)), notStarted],
      ['was never asked for and is late', stand('under way', { status: 'STARTING' }, after(600)), `${notStarted} end`],
      ['may be there, its attempt over', stand('over', { status: 'STARTING', place }), ''],
      ['is not to be found for a day', stand('over', { status: 'STARTING', place }, after(600 + 86_401)), 'end'],
    ] as const,
    (_, given, expected) => {
      expect(shortForm(decideUnobserved(given))).toBe(expected)
    },
  ),
)

test("the error has the cloud's message and the exit code", () => {
  const { outcome } = decideObserved(stand('under way', { claimedAt }), { ...died, log: ['heap out of memory'] })
  expect(outcome).toMatchObject({
    error: {
      message: 'The task ended before the step build was done.',
      description: 'The cloud says: OutOfMemoryError',
      metadata: { exitCode: 137 },
      details: [{ items: ['heap out of memory'] }],
    },
  })
})

test('polls become rarer while nothing changes', () => {
  const pace = { minMs: 1_000, maxMs: 15_000 }
  expect([0, 1, 3, 4, 99].map((idleLooks) => waitMs({ ...row, idleLooks }, pace))).toEqual([
    1_000, 2_000, 8_000, 15_000, 15_000,
  ])
})
