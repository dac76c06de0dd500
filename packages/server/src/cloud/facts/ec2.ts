import type { GroupRelease, InstanceReleaseResult } from '@sluice/contract'

/** Instance in service or starting. Terminating and standby instances are not members. */
export type Member = {
  instanceId: string
  isServing: boolean
  /** Whether its SSM agent is online. */
  isReachable: boolean
}

/**
 * Auto Scaling group, the release recorded for instances that start later, and the digest of the image tag to release,
 * if known.
 */
export type GroupFacts = {
  arn: string
  accountNumber: string
  members: Member[]
  current?: GroupRelease
  imageDigest?: string
}

/** State of a remote command on one instance. */
export type InstanceReading = InstanceReleaseResult & { instanceId: string }

/** State of a remote command. */
export type CommandSnapshot = {
  commandId: string
  /** Command status as the cloud reports it. */
  status: string
  isOver: boolean
  readings: InstanceReading[]
}

/** Remote command of any sender. */
export type ExternalCommand = {
  commandId: string
  documentName: string
  comment: string
  requestedAt: Date
  parameters: Record<string, string[]>
  isOver: boolean
  hasSucceeded: boolean
  /** Number of instances on which it failed. */
  errorCount: number
}
