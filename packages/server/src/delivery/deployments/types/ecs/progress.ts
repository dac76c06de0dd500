import type { TrafficShift } from '../../../../cloud/facts/ecs.ts'
import type { ProgressBase } from '../../execution/progress.ts'

/** The steps of a container-service deployment, in order. */
export type EcsStep = 'prepare' | 'register' | 'pre-deploy' | 'update' | 'locate' | 'observe' | 'post-deploy'

/** Where a container-service deployment stands. */
export type EcsProgress = ProgressBase & {
  step: EcsStep
  /** The service's primary deployment before ours: how we tell that our update took effect. */
  primaryBefore?: { id: string; taskDefinitionArn: string }
  /** Between what traffic is shifted, as the service and the block said before the release. */
  shiftedPairs?: ShiftedPair[]
  /** The service's newest service deployment before ours: if our update took effect, ours is a newer one. */
  newestBefore?: string
  /** The arn of our task definition, once it is registered. */
  taskDefinitionArn?: string
  /** The release is to be stopped and rolled back; `sent` once the cloud was told. */
  stop?: { by: StopReason; sent: boolean }
  /** The command of the present step: its task, once that is known. */
  command?: CommandProgress
  /** Where traffic goes could not be read at the last look, and is to be read at the next. */
  hasMissedListeners?: boolean
  /** A warning named a production listener rule that does not serve what the release asked for. */
  hasReportedRule?: boolean
  /** The task definition had been deregistered, and its definition was to be registered again. */
  isRegisteringAgain?: boolean
  /** The release was over and is now undone by another one, of what ran before. */
  isReverting?: boolean
}

/** What gave a release up. */
export type StopReason = 'user' | 'deadline' | 'analysis'

/** A pair of target groups, and the one of them that served users when the release began, where that was clear. */
export type ShiftedPair = TrafficShift & { servingGroupArn?: string }

/** Where a command stands. */
export type CommandProgress = {
  taskArn?: string
  /** RFC 3339. */
  startedAt?: string
  /** It is to be stopped, since it took too long or the deployment was given up; `sent` once the cloud was told. */
  stop?: { because: 'timeout' | 'user' | 'deadline'; sent: boolean }
}
