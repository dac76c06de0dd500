import type { DeploymentStatus, UserFacingError } from '@sluice/contract'
import type { ProgressBase } from '../../execution/progress.ts'

/**
 * Steps of a deployment to a group of instances. `look`, `send` and `observe` repeat for each wave until no instance is
 * missing. `publish` stores the release for instances that start later, followed by a last `look`. `lend` comes before
 * `send` if instances need a credential for a repository, and `withdraw` deletes it before the end.
 */
export type Ec2Step = 'prepare' | 'look' | 'lend' | 'send' | 'observe' | 'publish' | 'withdraw'

/** Instances that one remote command is sent to. */
export type Wave = {
  /** Number within the deployment, from 1. It identifies the command if the response was lost. */
  number: number
  /** Whether the wave brings the new release, or restores the previous one. */
  purpose: 'release' | 'return'
  instanceIds: string[]
  commandId?: string
  /** Whether the cloud was asked to end the command. */
  isStopSent?: boolean
  /** RFC 3339 time after which the instances' credential must be renewed. */
  freshUntil?: string
}

/** Progress of a deployment to a group of instances. */
export type Ec2Progress = ProgressBase & {
  step: Ec2Step
  wave?: Wave
  isPublished: boolean
  /**
   * Ids of instances that existed without the release when it was published. They may have started too early to read
   * it.
   */
  joiners?: string[]
  /** Set if a credential is or may be stored. RFC 3339 time after which no request that stores it can be in flight. */
  lentBy?: string
  /** Final status that the deployment gets after its credential is deleted. */
  ending?: { status: DeploymentStatus; error?: UserFacingError }
  /** Set if the deployment is rolling back. `restore`: whether the published release must be restored, too. */
  back?: { by: 'user' | 'deadline' | 'failure'; restore: boolean }
}
