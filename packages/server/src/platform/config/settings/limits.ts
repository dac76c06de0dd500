import { retentionDays } from '@sluice/contract'
import { defaultMaxPlanBytes } from '@sluice/contract/runner-protocol'
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
      'Requests per second of an organization, with bursts of ten seconds. Each 16 KiB of a body counts as another request.',
  },
  limitKeyRequests: {
    env: 'SLUICE_LIMIT_KEY_REQUESTS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same limit for each API key and each signed-in user.',
  },
  admissionTargetMs: {
    env: 'SLUICE_ADMISSION_TARGET_MS',
    type: milliseconds,
    default: 1_000,
    expected: millisecondsExpected,
    description:
      'Maximum wait of requests for a database connection, and of deployments for a worker. If all of them wait longer for a second, requests that create resources and reads are limited (429).',
  },
  limitStreams: {
    env: 'SLUICE_LIMIT_STREAMS',
    type: atMost,
    default: 500,
    expected: atMostExpected,
    description: 'Open streams of changes, logs and metrics of an organization.',
  },
  limitKeyStreams: {
    env: 'SLUICE_LIMIT_KEY_STREAMS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same limit for each API key and each signed-in user.',
  },
  limitQueuedRuns: {
    env: 'SLUICE_LIMIT_QUEUED_RUNS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Queued pipeline runs of an organization. Further runs are rejected.',
  },
  limitQueuedSteps: {
    env: 'SLUICE_LIMIT_QUEUED_STEPS',
    type: atMost,
    default: 5_000,
    expected: atMostExpected,
    description: 'Steps of an organization that wait for the runners of the installation. Further runs are rejected.',
  },
  limitQueuedDeployments: {
    env: 'SLUICE_LIMIT_QUEUED_DEPLOYMENTS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Queued deployments of an organization. Further deployments are rejected.',
  },
  limitRehearsals: {
    env: 'SLUICE_LIMIT_REHEARSALS',
    type: atMost,
    default: 5,
    expected: atMostExpected,
    description: 'Queued and running rehearsals of an organization. Further rehearsals are rejected.',
  },
  limitRunningSteps: {
    env: 'SLUICE_LIMIT_RUNNING_STEPS',
    type: atMost,
    expected: atMostExpected,
    description:
      'Concurrent steps of an organization on the runners of the installation. Further steps wait. Unlimited by default.',
  },
  limitDriftLooks: {
    env: 'SLUICE_LIMIT_DRIFT_LOOKS',
    type: atMost,
    default: 5,
    expected: atMostExpected,
    description: 'Concurrent drift checks of an organization. Further checks wait.',
  },
  limitStepLogBytes: {
    env: 'SLUICE_LIMIT_STEP_LOG_BYTES',
    type: bytes,
    default: 128 * 1024 * 1024,
    expected: bytesExpected,
    description:
      'Maximum stored log of an attempt of a step, in bytes. Runners of this version truncate it at 104857600.',
  },
  limitStateBytes: {
    env: 'SLUICE_LIMIT_STATE_BYTES',
    type: bytes,
    default: 64 * 1024 * 1024,
    expected: bytesExpected,
    description: 'Maximum size of a Terraform state, in bytes.',
  },
  limitPlanBytes: {
    env: 'SLUICE_LIMIT_PLAN_BYTES',
    type: bytes,
    default: defaultMaxPlanBytes,
    expected: bytesExpected,
    description:
      'Maximum size of a plan as JSON together with its file, in bytes. The runner and the service read it as a whole.',
  },
  limitStoredLogBytes: {
    env: 'SLUICE_LIMIT_STORED_LOG_BYTES',
    type: storedBytes,
    default: 20 * gibibyte,
    expected: storedBytesExpected,
    description: 'Stored step logs of an organization, in bytes. Beyond it, logs are truncated and steps continue.',
  },
  limitStoredStateBytes: {
    env: 'SLUICE_LIMIT_STORED_STATE_BYTES',
    type: storedBytes,
    default: 20 * gibibyte,
    expected: storedBytesExpected,
    description:
      'Stored state versions of an organization, in bytes. Beyond it, new plans are rejected. Running applies can store the same amount again.',
  },
  limitStoredPlanBytes: {
    env: 'SLUICE_LIMIT_STORED_PLAN_BYTES',
    type: storedBytes,
    default: 5 * gibibyte,
    expected: storedBytesExpected,
    description:
      'Stored plans of an organization that wait for their apply, in bytes. Beyond it, new plans are rejected.',
  },
  limitStoredArtifactBytes: {
    env: 'SLUICE_LIMIT_STORED_ARTIFACT_BYTES',
    type: storedBytes,
    default: 5 * gibibyte,
    expected: storedBytesExpected,
    description: 'Stored files that steps pass to later steps, per organization, in bytes. Beyond it, uploads fail.',
  },
  auditRetentionDays: {
    env: 'SLUICE_AUDIT_RETENTION_DAYS',
    type: Type.Integer(retentionDays),
    default: 400,
    expected: 'a whole number of days from 30 to 36500',
    description: 'Minimum retention of the audit log in days. Organizations can extend it for themselves.',
  },
  eventRetentionDays: {
    env: 'SLUICE_EVENT_RETENTION_DAYS',
    type: effectiveDays,
    expected: keptDaysExpected,
    description: 'Retention of cloud events in days. Unlimited by default.',
  },
  rehearsalRetentionDays: {
    env: 'SLUICE_REHEARSAL_RETENTION_DAYS',
    type: effectiveDays,
    default: 30,
    expected: keptDaysExpected,
    description: 'Retention of rehearsals in days.',
  },
  stepLogRetentionDays: {
    env: 'SLUICE_STEP_LOG_RETENTION_DAYS',
    type: effectiveDays,
    expected: keptDaysExpected,
    description:
      'Retention of step logs in days after the end of the step. Runs and steps are kept. Unlimited by default.',
  },
  stateVersions: {
    env: 'SLUICE_STATE_VERSIONS',
    type: Type.Integer({ minimum: 5, maximum: 100_000 }),
    expected: 'a whole number from 5 to 100000',
    description: 'Number of latest state versions that are kept per workspace. Unlimited by default.',
  },
} as const satisfies Settings
