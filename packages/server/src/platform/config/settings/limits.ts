import { retentionDays } from '@sluice/contract'
import { mostPlanBytes } from '@sluice/contract/runner-protocol'
import Type from 'typebox'
import {
  atMost,
  atMostExpected,
  bytes,
  bytesExpected,
  milliseconds,
  millisecondsExpected,
  type Settings,
  storedBytes,
  storedBytesExpected,
} from './kinds.ts'

const gibibyte = 1024 ** 3

/** Retention in days, at least as long as the cloud retries an event and people need a log. */
const effectiveDays = Type.Integer({ minimum: 7, maximum: 36_500 })
const keptDaysExpected = 'a whole number of days from 7 to 36500'

/** Limits of an organization, and retention of its data. */
export const limitsSettings = {
  limitRequests: {
    env: 'SLUICE_LIMIT_REQUESTS',
    type: atMost,
    default: 100,
    expected: atMostExpected,
    description:
      'Requests a second that an organization may make, ten seconds of them at once. Each 16 KiB of a body counts as one more.',
  },
  limitKeyRequests: {
    env: 'SLUICE_LIMIT_KEY_REQUESTS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same for each API key, and for each person who is signed in.',
  },
  admissionTargetMs: {
    env: 'SLUICE_ADMISSION_TARGET_MS',
    type: milliseconds,
    default: 1_000,
    expected: millisecondsExpected,
    description:
      'How long requests may wait for a database connection, and accepted deployments for a worker. If all of them wait longer for a second, requests that create resources and reads are limited (429).',
  },
  limitStreams: {
    env: 'SLUICE_LIMIT_STREAMS',
    type: atMost,
    default: 500,
    expected: atMostExpected,
    description: 'Streams of changes, logs and metrics that an organization may have open.',
  },
  limitKeyStreams: {
    env: 'SLUICE_LIMIT_KEY_STREAMS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same for each API key, and for each person who is signed in.',
  },
  limitQueuedRuns: {
    env: 'SLUICE_LIMIT_QUEUED_RUNS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Pipeline runs of an organization that may wait for their turn. More are not begun.',
  },
  limitQueuedSteps: {
    env: 'SLUICE_LIMIT_QUEUED_STEPS',
    type: atMost,
    default: 5_000,
    expected: atMostExpected,
    description:
      'Steps of an organization that may wait for the runners of the installation. Runs are not begun while there are more.',
  },
  limitQueuedDeployments: {
    env: 'SLUICE_LIMIT_QUEUED_DEPLOYMENTS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Deployments of an organization that may wait for their turn. More are not accepted.',
  },
  limitRehearsals: {
    env: 'SLUICE_LIMIT_REHEARSALS',
    type: atMost,
    default: 5,
    expected: atMostExpected,
    description: 'Rehearsals of an organization that may be waiting or running. More are not accepted.',
  },
  limitRunningSteps: {
    env: 'SLUICE_LIMIT_RUNNING_STEPS',
    type: atMost,
    expected: atMostExpected,
    description:
      "Steps of an organization that the installation's own runners carry out at a time; further ones wait. Without it, as many as there is room for.",
  },
  limitDriftLooks: {
    env: 'SLUICE_LIMIT_DRIFT_LOOKS',
    type: atMost,
    default: 5,
    expected: atMostExpected,
    description: 'Stacks of an organization that are looked at for drift at a time; further ones wait for their turn.',
  },
  limitStepLogBytes: {
    env: 'SLUICE_LIMIT_STEP_LOG_BYTES',
    type: bytes,
    default: 128 * 1024 * 1024,
    expected: bytesExpected,
    description: 'Bytes that are kept of the log of an attempt of a step. Runners of this release cut it at 104857600.',
  },
  limitStateBytes: {
    env: 'SLUICE_LIMIT_STATE_BYTES',
    type: bytes,
    default: 64 * 1024 * 1024,
    expected: bytesExpected,
    description: 'Bytes that a state of infrastructure may have.',
  },
  limitPlanBytes: {
    env: 'SLUICE_LIMIT_PLAN_BYTES',
    type: bytes,
    default: mostPlanBytes,
    expected: bytesExpected,
    description:
      'Bytes that a plan may have in JSON and with its file. It is read as a whole, in the runner and in the service.',
  },
  limitStoredLogBytes: {
    env: 'SLUICE_LIMIT_STORED_LOG_BYTES',
    type: storedBytes,
    default: 20 * gibibyte,
    expected: storedBytesExpected,
    description: 'Bytes of logs of steps that are kept of an organization. Logs are cut beyond; steps go on.',
  },
  limitStoredStateBytes: {
    env: 'SLUICE_LIMIT_STORED_STATE_BYTES',
    type: storedBytes,
    default: 20 * gibibyte,
    expected: storedBytesExpected,
    description:
      'Bytes of states that are kept of an organization, all versions, as they are stored. Beyond, no new plan is made; applies that have begun may store as much again.',
  },
  limitStoredPlanBytes: {
    env: 'SLUICE_LIMIT_STORED_PLAN_BYTES',
    type: storedBytes,
    default: 5 * gibibyte,
    expected: storedBytesExpected,
    description: 'Bytes of plans that wait to be applied, as they are stored. Beyond, no new plan is made.',
  },
  auditRetentionDays: {
    env: 'SLUICE_AUDIT_RETENTION_DAYS',
    type: Type.Integer(retentionDays),
    default: 400,
    expected: 'a whole number of days from 30 to 36500',
    description: 'How long lines of the audit log are kept at least; an organization may have its own kept longer.',
  },
  eventRetentionDays: {
    env: 'SLUICE_EVENT_RETENTION_DAYS',
    type: effectiveDays,
    expected: keptDaysExpected,
    description: 'How long events of cloud accounts are kept. Without it, for ever.',
  },
  rehearsalRetentionDays: {
    env: 'SLUICE_REHEARSAL_RETENTION_DAYS',
    type: effectiveDays,
    default: 30,
    expected: keptDaysExpected,
    description: 'How long rehearsals are stored.',
  },
  stepLogRetentionDays: {
    env: 'SLUICE_STEP_LOG_RETENTION_DAYS',
    type: effectiveDays,
    expected: keptDaysExpected,
    description: 'How long logs of steps are kept after their end; runs and steps stay. Without it, for ever.',
  },
  stateVersions: {
    env: 'SLUICE_STATE_VERSIONS',
    type: Type.Integer({ minimum: 5, maximum: 100_000 }),
    expected: 'a whole number from 5 to 100000',
    description: 'How many versions of the state of a workspace are kept, the newest. Without it, all.',
  },
} as const satisfies Settings
