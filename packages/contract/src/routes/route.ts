import type { TObject, TSchema } from 'typebox'
import type { RefusalKey } from '../errors.ts'
import type { Permission } from '../permissions.ts'

/** Who may call: anyone, any authenticated caller, or a caller with the permission. */
export type Access = 'anyone' | 'caller' | Permission

/** One operation of the interface: what can be asked, who may ask, and every way it can be answered. */
export interface Route {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for each path parameter. */
  readonly path: `/${string}`
  readonly tag: string
  readonly summary: string
  readonly needs: Access
  readonly params?: TObject
  readonly query?: TObject
  /** Absent: the operation takes no body; an empty one and `{}` are let through. */
  readonly body?: TSchema
  readonly reply: readonly [status: number, body: TSchema]
  /** Other statuses with a body of the same shape as the reply's. */
  readonly alsoReplies?: readonly number[]
  /** The refusals of its own; those in `commonRefusals`, and 401 and 403 where a caller is needed, go without saying. */
  readonly refuses: readonly RefusalKey[]
}

export type RouteTable = Readonly<Record<string, Route>>
