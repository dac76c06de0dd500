import type { ControlRoutes } from './control-routes.ts'
import type { Model } from './model/model.ts'
import type { Operation } from './operation.ts'
import type { Rate } from './rates.ts'
import type { IamPermissionTable } from './rights/right.ts'
import type { Protocol } from './wire/protocol.ts'
import type { World } from './world.ts'

/** Simulated service: its protocol, operations and state. */
export interface CloudService {
  /** Name of the service in AWS's documentation. */
  title: string
  /** Differences from AWS, as sentences for the README. */
  differences: readonly string[]
  /** Behaviour where AWS documents none, as sentences for the README. */
  decisions?: readonly string[]
  protocol: Protocol
  operations: ReadonlyMap<string, Operation>
  rights: IamPermissionTable
  /** Prefix of its IAM actions, if it differs from the signing name. */
  actionPrefix?: string
  /** Model of requests and responses. */
  model: Model
  /** Loads its state and registers the handlers of timed events. */
  open: (world: World) => void
  /** Operations whose lists have no documented order. */
  unordered?: readonly string[]
  /** Rate limits of the service's operations. */
  rates?: readonly Rate[]
  /** Additional routes of the control API. */
  control?: ControlRoutes
}
