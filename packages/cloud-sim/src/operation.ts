import type { Caller } from './callers.ts'
import type { HttpRequest } from './wire/protocol.ts'
import type { World } from './world.ts'

/**
 * One operation of a cloud service: input as it came over the wire, result as it goes back. The request itself is for
 * those of REST services that read its headers or take its body as it is.
 */
export type Operation = (world: World, caller: Caller, input: object, request: HttpRequest) => object

/**
 * A table of operations. Each handler names the shape it expects; what comes over the wire is only known to be an
 * object, so this is where the one is taken for the other. A handler checks what it relies on.
 */
export function operations<
  Table extends Record<string, (world: World, caller: Caller, input: never, request: HttpRequest) => object>,
>(table: Table): ReadonlyMap<string, Operation> {
  return new Map(Object.entries(table) as unknown as [string, Operation][])
}

/** A result that is not there yet: once `ready` resolves, `again` is asked for it. */
export class Later {
  readonly ready: Promise<void>
  readonly again: () => object

  constructor(ready: Promise<void>, again: () => object) {
    this.ready = ready
    this.again = again
  }
}
