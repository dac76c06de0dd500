import type { World } from '../world.ts'
import { elb, type Target, type TargetState } from './state.ts'

const isSame = (id: string, port: number) => (target: Target) => target.id === id && target.port === port

/** Registers a target in the state `initial`. */
export function registerTarget(world: World, targetGroupArn: string, id: string, port: number): void {
  const group = elb(world).targetGroups.get(targetGroupArn)
  if (!group) return
  const others = group.targets.filter((target) => !isSame(id, port)(target))
  group.targets = [...others, { id, port, state: 'initial' }]
  elb(world).targetGroups.save(group)
}

export function setTargetHealth(
  world: World,
  targetGroupArn: string,
  id: string,
  port: number,
  state: TargetState,
): void {
  const group = elb(world).targetGroups.get(targetGroupArn)
  const target = group?.targets.find(isSame(id, port))
  if (!group || !target) return
  target.state = state
  elb(world).targetGroups.save(group)
}

export function deregisterTarget(world: World, targetGroupArn: string, id: string, port: number): void {
  const group = elb(world).targetGroups.get(targetGroupArn)
  if (!group?.targets.some(isSame(id, port))) return
  group.targets = group.targets.filter((target) => !isSame(id, port)(target))
  elb(world).targetGroups.save(group)
}
