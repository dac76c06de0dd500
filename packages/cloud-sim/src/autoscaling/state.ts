import type { TagDescription } from '@aws-sdk/client-auto-scaling'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** Key: the group's ARN. */
export interface Group extends Row {
  scope: Scope
  name: string
  minSize: number
  maxSize: number
  desiredCapacity: number
  createdAt: number
  /** What was asked for and only shown, with the cloud's defaults. */
  shape: Record<string, unknown>
  tags: TagDescription[]
}

/** Key: the instance's id. A machine of a group. */
export interface Instance extends Row {
  scope: Scope
  groupArn: string
  state: 'Pending' | 'InService' | 'Terminating'
  /** Whether commands reach its agent; an instance that has just been launched has not told of itself yet. */
  agent: 'absent' | 'Online' | 'ConnectionLost'
  launchedAt: number
  /** The image or script that a command last brought to it with success. */
  runs?: string
  /** What a script on it read last to check out a repository. */
  credential?: string
}

/** Key: the activity's id. What a group did to its number of instances. */
export interface Activity extends Row {
  groupArn: string
  groupName: string
  instanceId: string
  kind: 'Launching' | 'Terminating'
  cause: string
  startedAt: number
  endedAt?: number
}

/** What the service for groups of instances keeps. */
export const autoScaling = state((world) => ({
  groups: world.table<Group>('auto-scaling-group', { scope: (row) => row.scope }, { isEventual: true }),
  instances: world.table<Instance>('instance', { scope: (row) => row.scope, group: (row) => row.groupArn }),
  activities: world.table<Activity>('scaling-activity', { group: (row) => row.groupArn }),
}))
