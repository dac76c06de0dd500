import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { autoScaling, type Group } from './state.ts'

export const validation = (message: string) => new CloudError('ValidationError', message)

export const findByName = (world: World, { scope }: Caller, name: string) =>
  autoScaling(world)
    .groups.having('scope', scope)
    .find((group) => group.name === name)

export function findGroup(world: World, caller: Caller, name = ''): Group {
  const group = findByName(world, caller, name)
  if (!group) throw validation(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`)
  return group
}
