/** Cloud resource as the API returns it, as JSON. */
export type CloudShape = Record<string, unknown>

/** Copy of an ECS service and everything that a release of it touches. */
export type EcsTwin = {
  region: string
  accountNumber: string
  /** Time of the copy, in RFC 3339. */
  readAt: string
  cluster: CloudShape
  service: CloudShape
  taskDefinitions: CloudShape[]
  loadBalancers: CloudShape[]
  listeners: CloudShape[]
  rules: CloudShape[]
  targetGroups: CloudShape[]
  alarms: CloudShape[]
  /** Images and log groups of the release that do not exist, so that its tasks cannot start. */
  missing: string[]
  /** Median time of its running tasks from creation to RUNNING, in seconds; undefined if unknown. */
  startSeconds?: number
  /** Sentences about what was assumed because it could not be read or simulated. */
  assumptions: string[]
}
