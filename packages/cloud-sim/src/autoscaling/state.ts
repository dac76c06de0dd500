import type { TagDescription } from '@aws-sdk/client-auto-scaling'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** Auto Scaling group. Key: its ARN. */
export interface Group extends Row {
  scope: Scope
  name: string
  minSize: number
  maxSize: number
  desiredCapacity: number
  createdAt: number
  /** Fields that are only stored and returned, with defaults. */
  shape: Record<string, unknown>
  tags: TagDescription[]
}

/** Instance of a group. Key: the instance id. */
export interface Instance extends Row {
  scope: Scope
  groupArn: string
  state: 'Pending' | 'InService' | 'Terminating'
  /** State of its SSM agent, which is absent until it has registered. */
  agent: 'absent' | 'Online' | 'ConnectionLost'
  launchedAt: number
  /** Image or script that the last successful command started. */
  runs?: string
  /** Deployment of that command, by its parameter `deployId`. */
  deployment?: string
  /** Git credential that a script on it last used. */
  credential?: string
}

/** Scaling activity of a group. Key: the activity id. */
export interface Activity extends Row {
  groupArn: string
  groupName: string
  instanceId: string
  kind: 'Launching' | 'Terminating'
  cause: string
  startedAt: number
  endedAt?: number
}

/** Tables of the simulated EC2 Auto Scaling. */
export const autoScaling = defineState((world) => ({
  groups: world.table<Group>('auto-scaling-group', { scope: (row) => row.scope }, { isEventual: true }),
  instances: world.table<Instance>('instance', { scope: (row) => row.scope, group: (row) => row.groupArn }),
  activities: world.table<Activity>('scaling-activity', { group: (row) => row.groupArn }),
}))
