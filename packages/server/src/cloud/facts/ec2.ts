import type { GroupRelease, InstanceReleaseResult } from '@sluice/contract'

/** An instance of the group that serves or will serve; those that leave, or stand by, are none. */
export type Member = {
  instanceId: string
  isServing: boolean
  /** Its agent takes commands. */
  isReachable: boolean
}

/**
 * The group as the cloud shows it, what is written down for instances that start later, and the digest that the tag of
 * the image to be released stands for, where the cloud says so.
 */
export type GroupFacts = {
  arn: string
  accountNumber: string
  members: Member[]
  current?: GroupRelease
  imageDigest?: string
}

/** What the cloud says of a remote command on one instance. */
export type InstanceReading = InstanceReleaseResult & { instanceId: string }

/** A remote command as the cloud shows it. */
export type CommandSnapshot = {
  commandId: string
  /** The cloud's own word. */
  status: string
  isOver: boolean
  readings: InstanceReading[]
}

/** A remote command that was sent by whoever it was. */
export type OutsideCommand = {
  commandId: string
  documentName: string
  comment: string
  requestedAt: Date
  parameters: Record<string, string[]>
  isOver: boolean
  hasSucceeded: boolean
  /** On how many instances it failed. */
  errorCount: number
}
