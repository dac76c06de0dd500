import type { Caller } from './callers.ts'
import type { World } from './world.ts'

/** One operation of a cloud service: input as it came over the wire, result as it goes back. */
export type Operation = (world: World, caller: Caller, input: object) => object

/**
 * A table of operations. Each handler names the shape it expects; what comes over the wire is only known to be an
 * object, so this is where the one is taken for the other. A handler checks what it relies on.
 */
export function operations<Table extends Record<string, (world: World, caller: Caller, input: never) => object>>(
  table: Table,
): ReadonlyMap<string, Operation> {
  return new Map(Object.entries(table) as unknown as [string, Operation][])
}
