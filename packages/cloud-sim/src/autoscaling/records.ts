import type { TagDescription } from '@aws-sdk/client-auto-scaling'
import type { Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { Row } from '../store.ts'
import type { World } from '../world.ts'

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

export const validation = (message: string) => new CloudError('ValidationError', message)

export const findByName = (world: World, { scope }: Caller, name: string) =>
  world.autoScalingGroups.having('scope', scope).find((group) => group.name === name)

export function findGroup(world: World, caller: Caller, name = ''): Group {
  const group = findByName(world, caller, name)
  if (!group) throw validation(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`)
  return group
}
