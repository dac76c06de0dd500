import type { DeploymentStatus, UserFacingError } from '@sluice/contract'
import type { ProgressBase } from '../../execution/progress.ts'

/**
 * The steps of a deployment to a group. `look`, `send` and `observe` take turns, once for each wave of instances, until
 * none is missing; then `publish` writes the release down for instances that start later, and it looks once more.
 * `lend` comes before `send` where instances have to check out a repository, `withdraw` before the end where something
 * was lent.
 */
export type Ec2Step = 'prepare' | 'look' | 'lend' | 'send' | 'observe' | 'publish' | 'withdraw'

/** The instances that one remote command goes to. */
export type Wave = {
  /** Of the deployment, from 1: by it the command is found again when the answer to its sending was lost. */
  number: number
  /** Whether it brings the new release, or the one before. */
  purpose: 'release' | 'return'
  instanceIds: string[]
  commandId?: string
  /** The cloud was told to end it. */
  isStopSent?: boolean
  /** Its instances read a credential; after this there is a newer one to be lent. RFC 3339. */
  freshUntil?: string
}

/** Where a deployment to a group stands. */
export type Ec2Progress = ProgressBase & {
  step: Ec2Step
  wave?: Wave
  isPublished: boolean
  /**
   * The instances that were there when the release was published and had not got it: they may have started too early.
   */
  joiners?: string[]
  /** A credential is lent, or may be; no request that lends it is on its way any more after this. RFC 3339. */
  lentBy?: string
  /** How it ends once what was lent is withdrawn. */
  ending?: { status: DeploymentStatus; error?: UserFacingError }
  /** It turns back. `restore`: the release that was written down for later instances turns back too. */
  back?: { by: 'user' | 'deadline' | 'failure'; restore: boolean }
}
