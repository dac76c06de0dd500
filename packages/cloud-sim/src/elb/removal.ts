import type { World } from '../world.ts'
import { elb, type Listener } from './state.ts'

/** A listener goes with its rules, by itself or with its load balancer. */
export function removeListener(world: World, listener: Listener): void {
  for (const rule of elb(world).rules.having('listener', listener.key)) elb(world).rules.remove(rule)
  elb(world).listeners.remove(listener)
}
