import type { Target } from '@aws-sdk/client-ssm'
import { autoScaling, type Instance } from '../autoscaling/state.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import type { Command } from './state.ts'

const groupTag = 'tag:aws:autoscaling:groupName'

/** Checks targets: at most five keys with five values each, but fifty instance ids ("Run commands at scale"). */
export function checkTargets(targets: Target[]): void {
  const wrong = (message: string) => new CloudError('InvalidTarget', message)
  if (targets.length > 5) throw wrong('Targets can have at most 5 keys.')
  for (const { Key = '', Values = [] } of targets) {
    const most = Key === 'InstanceIds' ? 50 : 5
    if (Key !== 'InstanceIds' && !Key.startsWith('tag:')) throw wrong(`Target key ${Key} is not valid.`)
    if (Values.length === 0 || Values.length > most) throw wrong(`Target ${Key} must have 1 to ${most} values.`)
  }
}

/** Returns a command's instances: those with an agent that match all of its targets. */
export function targetsOf(world: World, { scope, instanceIds, targets }: Command): Instance[] {
  const isMeant = (instance: Instance) =>
    instanceIds.includes(instance.key) ||
    (targets.length > 0 &&
      targets.every(({ Key = '', Values = [] }) => Values.some((value) => has(world, instance, Key, value))))
  return autoScaling(world)
    .instances.having('scope', scope)
    .filter((instance) => instance.agent !== 'absent' && isMeant(instance))
}

function has(world: World, instance: Instance, key: string, value: string): boolean {
  if (key === 'InstanceIds') return instance.key === value
  const group = autoScaling(world).groups.get(instance.groupArn)
  if (key === groupTag) return group?.name === value
  return group?.tags.some((tag) => `tag:${tag.Key}` === key && tag.Value === value) ?? false
}
