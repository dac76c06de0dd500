import { type Limit, type LimitName, limitNames } from '@sluice/contract'
import type { Config, SettingName } from '../config/settings.ts'

type Row = Pick<Limit, 'per' | 'unit'> & {
  setting: Extract<SettingName, `limit${string}`>
  /** What the caller can do when the limit is reached, besides asking the operator to raise it. */
  remedy: string
  /**
   * Whether usage is counted in memory. Counting requests in the database would cost more than many of the requests.
   */
  isPerProcess?: true
}

/** All limits with their settings. The code that enforces a limit also counts its usage. */
export const limitTable = {
  requests: {
    per: 'organization',
    unit: 'requests per second',
    setting: 'limitRequests',
    remedy: 'Wait as long as retry-after says, and ask for long lists rather than for many records.',
    isPerProcess: true,
  },
  keyRequests: {
    per: 'key',
    unit: 'requests per second',
    setting: 'limitKeyRequests',
    remedy: 'Wait for the seconds in retry-after, or use a separate key for each program.',
    isPerProcess: true,
  },
  streams: {
    per: 'organization',
    unit: 'open streams',
    setting: 'limitStreams',
    remedy: 'Close unused streams.',
    isPerProcess: true,
  },
  keyStreams: {
    per: 'key',
    unit: 'open streams',
    setting: 'limitKeyStreams',
    remedy: 'Close unused streams, or follow many records with one stream of changes.',
    isPerProcess: true,
  },
  queuedRuns: {
    per: 'organization',
    unit: 'pipeline runs that wait',
    setting: 'limitQueuedRuns',
    remedy: 'Wait until some have begun, or cancel some.',
  },
  queuedSteps: {
    per: 'organization',
    unit: 'steps that wait for runners of the installation',
    setting: 'limitQueuedSteps',
    remedy: 'Wait until some have begun, cancel some, or run them in an execution environment of your own.',
  },
  queuedDeployments: {
    per: 'organization',
    unit: 'deployments that wait',
    setting: 'limitQueuedDeployments',
    remedy: 'Wait until some have begun, or cancel some.',
  },
  rehearsals: {
    per: 'organization',
    unit: 'rehearsals that have not finished',
    setting: 'limitRehearsals',
    remedy: 'Wait until some have finished.',
  },
  runningSteps: {
    per: 'organization',
    unit: 'steps on runners of the installation',
    setting: 'limitRunningSteps',
    remedy: 'Further steps wait; runners of your own have no limit.',
  },
  driftChecks: {
    per: 'organization',
    unit: 'looks for drift on schedules at a time',
    setting: 'limitDriftLooks',
    remedy: 'Further ones are queued; those that a user starts are not.',
  },
  stepLogBytes: {
    per: 'step',
    unit: 'bytes of log',
    setting: 'limitStepLogBytes',
    remedy: 'What comes after is not kept: write less, or keep it elsewhere.',
  },
  stateBytes: {
    per: 'state',
    unit: 'bytes',
    setting: 'limitStateBytes',
    remedy: 'Divide the infrastructure among several stacks.',
  },
  planBytes: {
    per: 'plan',
    unit: 'bytes',
    setting: 'limitPlanBytes',
    remedy: 'Divide the infrastructure among several stacks, or take large files out of its inputs.',
  },
  storedLogBytes: {
    per: 'organization',
    unit: 'bytes of logs of steps',
    setting: 'limitStoredLogBytes',
    remedy: 'Delete pipelines whose logs are no longer needed; until then, logs are truncated.',
  },
  storedStateBytes: {
    per: 'organization',
    unit: 'bytes of states, all versions',
    setting: 'limitStoredStateBytes',
    remedy: 'Delete unused stacks and workspaces. Until then, only destroy plans are accepted.',
  },
  storedPlanBytes: {
    per: 'organization',
    unit: 'bytes of plans to be applied',
    setting: 'limitStoredPlanBytes',
    remedy: 'Apply or reject plans that wait, or delete pipelines; until then, plans to destroy alone are made.',
  },
  storedArtifactBytes: {
    per: 'organization',
    unit: 'bytes of artifacts that steps pass to later steps',
    setting: 'limitStoredArtifactBytes',
    remedy: 'Upload fewer files, or delete pipelines that are no longer needed. Artifacts are deleted after 14 days.',
  },
} as const satisfies Record<LimitName, Row>

/** Maximum by limit; a missing one means unlimited. */
export type LimitValues = Partial<Record<LimitName, number | undefined>>

export function limitValuesOf(config: Pick<Config, Row['setting']>): LimitValues {
  const mosts: LimitValues = {}
  for (const name of limitNames) mosts[name] = config[limitTable[name].setting]
  return mosts
}
