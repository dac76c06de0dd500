/** Something that runs, or did within the last hour, as the cloud shows it. */
export type Running = {
  id: string
  kind: 'TASK' | 'MACHINE' | 'FUNCTION_VERSION' | 'DIRECTORY'
  /** The cloud's own word. */
  status: string
  isStopped: boolean
  health: 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'
  zone?: string
  /** In its network. */
  address?: string
  image?: string
  /** Digests of the images that its containers run, by their addresses without a digest. */
  digests?: Readonly<Record<string, string>>
  /** A task definition, as `FAMILY:REVISION`, or another name of what runs. */
  runs?: string
  /** By which it is told which deployment brought it. */
  externalDeploymentId?: string
  since?: Date
  until?: Date
  reason?: string
  trafficPercent?: number
  aliases?: string[]
  hasLog: boolean
}

/** What was seen at one look; of many, not all. */
export type RunningSeen = { all: Running[]; isComplete: boolean }

/** The end of what a container wrote. */
export type ContainerLog = { name: string; lines: { timestamp: Date; message: string }[]; missing?: string }

/** How many tasks of a service run, of how many that should, and the task definition that the service names. */
export type TaskCounts = {
  runningTasks: number
  startingTasks: number
  desiredTasks: number
  taskDefinitionArn: string | undefined
}

/** A target group, and how its targets are. */
export type TargetGroupSeen = { arn: string; name: string; targetCount: number; healthyCount: number }

/** A service with all that belongs to it. */
export type ServiceSeen = {
  status: string
  desiredCount: number
  runningCount: number
  tasks: Running[]
  groups: TargetGroupSeen[]
  isComplete: boolean
}
