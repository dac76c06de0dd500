import type { GroupRelease } from '@sluice/contract'
import type { MissingParts } from './ecs.ts'

/** Cloud resource as the API returns it, as JSON. */
export type CloudShape = Record<string, unknown>

/** Properties of all copies for rehearsals. */
export type TwinBase = {
  region: string
  accountNumber: string
  /** Time of the copy, in RFC 3339. */
  readAt: string
  /** Sentences about what was assumed because it could not be read or simulated. */
  assumptions: string[]
}

/** Copy of a Lambda function and its alias. */
export type LambdaTwin = TwinBase & {
  /** Configuration of the function, unpublished. */
  function: CloudShape
  /** Versions that the alias routes calls to, and the newest. */
  versions: CloudShape[]
  alias: CloudShape
  provisionedConcurrency?: number
  /** Absent if the release only uses a published version. */
  code?: ReleasedCode
}

/** Copy of an Auto Scaling group. */
export type Ec2Twin = TwinBase & {
  group: CloudShape
  /** Ids of the instances whose SSM agents are online. */
  reachable: string[]
  /** What instances that start later install; absent before the first release. */
  currentRelease?: GroupRelease
  /** Median time that an instance took for the latest release, in seconds; undefined if unknown. */
  installSeconds?: number
}

/** Copy of a static site, without its files. */
export type StaticTwin = TwinBase & {
  /** Whether the directory of the release has files. */
  hasFiles: boolean
  /** Directory that the site serves; absent before the first release. */
  active?: string
  distributions: { id: string; arn: string; domainName: string; compresses: boolean }[]
}

/** Code that a release deploys to a function. */
export type ReleasedCode = {
  /** Address as the cloud receives it: of an image, or `s3://BUCKET/KEY`. */
  address: string
  /** Hash of the code; absent if the cloud rejects it, or does not accept code now. */
  sha256?: string
  /** Error with which the cloud rejects the code. */
  rejection?: { name: string; message: string }
}

/** Copy of an ECS service and everything that a release of it touches. */
export type EcsTwin = TwinBase & {
  cluster: CloudShape
  service: CloudShape
  taskDefinitions: CloudShape[]
  loadBalancers: CloudShape[]
  listeners: CloudShape[]
  rules: CloudShape[]
  targetGroups: CloudShape[]
  alarms: CloudShape[]
  /** Task definition of the release. */
  definition: CloudShape
  /** Parts of the release that do not exist, so that its tasks cannot start. */
  missing: MissingParts
  /** Median time of its running tasks from creation to RUNNING, in seconds; undefined if unknown. */
  startSeconds?: number
}
