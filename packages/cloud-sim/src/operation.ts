import type { Caller } from './callers.ts'
import type { HttpRequest } from './wire/protocol.ts'
import type { World } from './world.ts'

/**
 * Operation of a service, from its wire input to its wire output. REST operations also read headers or the raw body of
 * the request.
 */
export type Operation = (world: World, caller: Caller, input: object, request: HttpRequest) => object

/**
 * Creates a table of operations. Handlers declare the type of their input, which is only known to be an object, so they
 * must validate what they use.
 */
export function operations<
  Table extends Record<string, (world: World, caller: Caller, input: never, request: HttpRequest) => object>,
>(table: Table): ReadonlyMap<string, Operation> {
  return new Map(Object.entries(table) as unknown as [string, Operation][])
}

/** Result that is not available yet: once `ready` resolves, `again` is called for it. */
export class PendingResult {
  readonly ready: Promise<void>
  readonly again: () => object

  constructor(ready: Promise<void>, again: () => object) {
    this.ready = ready
    this.again = again
  }
}
