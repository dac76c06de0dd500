import type { World } from '../world.ts'
import type { Listener } from './listeners.ts'

/** A listener goes with its rules, by itself or with its load balancer. */
export function removeListener(world: World, listener: Listener): void {
  for (const rule of world.rules.having('listener', listener.key)) world.rules.remove(rule)
  world.listeners.remove(listener)
}
