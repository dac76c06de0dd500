/** Running or recently stopped task, machine, function version or site directory. */
export type RunningUnit = {
  id: string
  kind: 'TASK' | 'MACHINE' | 'FUNCTION_VERSION' | 'DIRECTORY'
  /** Status in the cloud's terms. */
  status: string
  isStopped: boolean
  health: 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'
  zone?: string
  /** Private IP address. */
  address?: string
  image?: string
  /** Image digests of its containers, by image address without digest. */
  digests?: Readonly<Record<string, string>>
  /** Task definition as `FAMILY:REVISION`, or the name of another artifact. */
  runs?: string
  /** Matches it to the deployment that created it. */
  externalDeploymentId?: string
  since?: Date
  until?: Date
  reason?: string
  trafficPercent?: number
  aliases?: string[]
  hasLog: boolean
}

/** Result of one poll; `isComplete` is false if the list was cut off. */
export type ObservedTasks = { all: RunningUnit[]; isComplete: boolean }

/** Last log lines of a container. */
export type ContainerLog = { name: string; lines: { timestamp: Date; message: string }[]; missing?: string }

/** Running, starting and desired tasks of a service, and its task definition. */
export type TaskCounts = {
  runningTasks: number
  startingTasks: number
  desiredTasks: number
  taskDefinitionArn: string | undefined
}

export type ObservedTargetGroup = { arn: string; name: string; targetCount: number; healthyCount: number }

export type ObservedService = {
  status: string
  desiredCount: number
  runningCount: number
  tasks: RunningUnit[]
  groups: ObservedTargetGroup[]
  isComplete: boolean
}
