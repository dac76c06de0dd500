/** A resource as the cloud describes it, as JSON. */
export type CloudShape = Record<string, unknown>

/** A container service with everything that a release of it touches, copied from its account. */
export type EcsTwin = {
  region: string
  accountNumber: string
  /** RFC 3339. */
  readAt: string
  cluster: CloudShape
  service: CloudShape
  taskDefinitions: CloudShape[]
  loadBalancers: CloudShape[]
  listeners: CloudShape[]
  rules: CloudShape[]
  targetGroups: CloudShape[]
  alarms: CloudShape[]
  /** Images and log groups of the release that do not exist: no task of it starts. */
  missing: string[]
  /** The median time of its running tasks from their creation to RUNNING; undefined where none shows it. */
  startSeconds?: number
  /** What is assumed because it could not be read or cannot be simulated: sentences. */
  assumptions: string[]
}
