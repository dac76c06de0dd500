import type { TrafficShift } from '../../../../cloud/facts/ecs.ts'
import type { ProgressBase } from '../../execution/progress.ts'

/** Steps of a container service deployment, in order. */
export type EcsStep = 'prepare' | 'register' | 'pre-deploy' | 'update' | 'locate' | 'observe' | 'post-deploy'

/** Progress of a container service deployment. */
export type EcsProgress = ProgressBase & {
  step: EcsStep
  /** The service's primary deployment before ours. Another one shows that our update took effect. */
  primaryBefore?: { id: string; taskDefinitionArn: string }
  /** Pairs of target groups between which traffic shifts, as the service and the block had them before the release. */
  shiftedPairs?: ShiftedPair[]
  /** Whether the service had alarms when the release began, which guard it if the block names none. */
  watchesServiceAlarms?: boolean
  /** ARN of the newest service deployment before ours. If our update took effect, ours is newer. */
  newestBefore?: string
  taskDefinitionArn?: string
  /** Set if the release must be stopped and rolled back; `sent` once the cloud has been asked. */
  stop?: { by: StopReason; sent: boolean }
  /** Command of the current step, with its task once known. */
  command?: CommandProgress
  /** Whether the listener rules could not be read by the last poll and must be read by the next. */
  hasMissedListeners?: boolean
  /** Whether a production listener rule that does not route as requested has been reported. */
  hasReportedRule?: boolean
  /** Whether the definition of a deregistered task definition is being registered again. */
  isRegisteringAgain?: boolean
  /** Whether a release that had ended is being reverted by a release of the previous version. */
  isReverting?: boolean
}

/** Cause of a stopped release. */
export type StopReason = 'user' | 'deadline' | 'analysis'

/** Pair of target groups, and the group that served users when the release began, if known. */
export type ShiftedPair = TrafficShift & { servingGroupArn?: string }

/** Progress of a command. */
export type CommandProgress = {
  taskArn?: string
  /** RFC 3339 time. */
  startedAt?: string
  /**
   * Set if the command must be stopped because of a timeout or because the deployment was given up; `sent` once the
   * cloud has been asked.
   */
  stop?: { because: 'timeout' | 'user' | 'deadline'; sent: boolean }
}
