import { retentionDays } from '@sluice/contract'
import Type from 'typebox'
import { atMost, atMostExpected, bytes, bytesExpected, type Settings } from './kinds.ts'

/** What one organization may take, and how long the audit log is kept. */
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
  limitQueuedDeployments: {
    env: 'SLUICE_LIMIT_QUEUED_DEPLOYMENTS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Deployments of an organization that may wait for their turn. More are not accepted.',
  },
  limitRunningSteps: {
    env: 'SLUICE_LIMIT_RUNNING_STEPS',
    type: atMost,
    expected: atMostExpected,
    description:
      "Steps of an organization that the installation's own runners carry out at a time; further ones wait. Without it, as many as there is room for.",
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
  auditRetentionDays: {
    env: 'SLUICE_AUDIT_RETENTION_DAYS',
    type: Type.Integer(retentionDays),
    default: 400,
    expected: 'a whole number of days from 30 to 36500',
    description: 'How long lines of the audit log are kept at least; an organization may have its own kept longer.',
  },
} as const satisfies Settings
