import type { World } from '../world.ts'
import { elb, type Listener } from './state.ts'

/** Deletes a listener with its rules. */
export function removeListener(world: World, listener: Listener): void {
  for (const rule of elb(world).rules.having('listener', listener.key)) elb(world).rules.remove(rule)
  elb(world).listeners.remove(listener)
}
