import type {
  ClusterSetting,
  RegisterTaskDefinitionRequest,
  Tag,
  TaskOverride,
  TaskStopCode,
} from '@aws-sdk/client-ecs'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'
import type { Behaviour } from './behaviour.ts'
import type { EventLog, Revision, Service, ServiceDeployment } from './service-records.ts'

/** ECS cluster. Key: its ARN. */
export interface Cluster extends Row {
  scope: Scope
  name: string
  status: 'ACTIVE' | 'INACTIVE'
  tags: Tag[]
  settings: ClusterSetting[]
}

/** ECS task definition. Key: its ARN. */
export interface TaskDefinition extends Row {
  scope: Scope
  family: string
  revision: number
  status: 'ACTIVE' | 'INACTIVE'
  content: Omit<RegisterTaskDefinitionRequest, 'family' | 'tags'>
  tags: Tag[]
  registeredAt: number
  registeredBy: string
  deregisteredAt?: number
}

/** Simulated result of a command. */
export interface CommandResult {
  exitCode: number
  /** Duration of the command, in cloud seconds. */
  seconds: number
}

/** Key: the pattern of the command, in which `*` stands for any text. With `times` it applies that often. */
export interface CommandRule extends Row {
  exitCode?: number | undefined
  seconds?: number | undefined
  times?: number | undefined
}

/** Task statuses in order ("Amazon ECS task lifecycle", developer guide, read 2026-11). */
export type TaskStatus =
  | 'PROVISIONING'
  | 'PENDING'
  | 'ACTIVATING'
  | 'RUNNING'
  | 'DEACTIVATING'
  | 'STOPPING'
  | 'DEPROVISIONING'
  | 'STOPPED'

/** Reports whether a task is starting, and so counts as pending. */
export const isPending = ({ lastStatus }: Pick<Task, 'lastStatus'>): boolean =>
  ['PROVISIONING', 'PENDING', 'ACTIVATING'].includes(lastStatus)

/** Key: the task ARN. Fields named `…At` are timestamps, except `wakeAt`. */
export interface Task extends Row {
  clusterArn: string
  serviceArn?: string | undefined
  revisionArn?: string | undefined
  taskDefinitionArn: string
  group: string
  startedBy?: string | undefined
  behaviour: Behaviour
  /** For a task with a simulated command: its result, duration and container. */
  job?: (CommandResult & { container: string; command: string }) | undefined
  /** For a task whose image stands for a local program: the program and its container. */
  program?: { container: string; argv: string[] } | undefined
  overrides?: TaskOverride | undefined
  enableExecuteCommand?: boolean | undefined
  lastStatus: TaskStatus
  desiredStatus: 'RUNNING' | 'STOPPED'
  /** Health by load balancer targets, or else by container. */
  health: 'unknown' | 'healthy' | 'unhealthy'
  targets: { targetGroupArn: string; port: number }[]
  containers: { name: string; image: string; digest: string; runtimeId: string; exitCode?: number; reason?: string }[]
  ip: string
  attachmentId: string
  /** Letter of its availability zone, if not the first. */
  zone?: string
  createdAt: number
  updatedAt: number
  startedAt?: number
  stoppingAt?: number
  /** Time at which its containers ended. */
  executionStoppedAt?: number
  stoppedAt?: number
  stopCode?: TaskStopCode
  stoppedReason?: string
  version: number
}

/** Key: the scope and the client token, which identify a repeated request. */
export interface RunRequest extends Row {
  request: string
  /** ARNs of the tasks that it started. */
  tasks: string[]
}

/** Key: the pattern, in which `*` stands for any text. With `times` the rule applies to that many tasks. */
export interface ImageRule extends Row {
  behaviour: Behaviour
  times?: number | undefined
}

/** Key: an image address with tag, which was moved to this digest. */
export interface ImageTag extends Row {
  digest: string
}

/** Tables of the simulated ECS. */
export const ecs = defineState((world) => ({
  clusters: world.table<Cluster>('cluster', { scope: (row) => row.scope }),
  taskDefinitions: world.table<TaskDefinition>(
    'task-definition',
    {
      family: (row) => `${row.scope} ${row.family}`,
      scope: (row) => row.scope,
    },
    { isEventual: true },
  ),
  services: world.table<Service>('service', { cluster: (row) => row.clusterArn }, { isEventual: true }),
  revisions: world.table<Revision>('service-revision', { service: (row) => row.serviceArn }),
  serviceDeployments: world.table<ServiceDeployment>('service-deployment', { service: (row) => row.serviceArn }),
  eventLogs: world.table<EventLog>('event-log'),
  tasks: world.table<Task>('task', {
    revision: (row) => row.revisionArn ?? '',
    cluster: (row) => row.clusterArn,
    service: (row) => row.serviceArn ?? '',
  }),
  imageRules: world.table<ImageRule>('image-rule'),
  imageTags: world.table<ImageTag>('image-tag'),
  commandRules: world.table<CommandRule>('command-rule'),
  runRequests: world.table<RunRequest>('run-request'),
}))
