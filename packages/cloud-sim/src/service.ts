import type { ControlRoutes } from './control-routes.ts'
import type { Model } from './model/model.ts'
import type { Operation } from './operation.ts'
import type { Rate } from './rates.ts'
import type { RightsTable } from './rights/right.ts'
import type { Protocol } from './wire/protocol.ts'
import type { World } from './world.ts'

/** A service of the cloud: how it speaks, what it can do and what it keeps. */
export interface CloudService {
  /** The name of the service in AWS's documentation. */
  title: string
  /** How the service differs from AWS, in sentences for the README. */
  differences: readonly string[]
  /** What the service does where AWS documents no behaviour, in sentences for the README. */
  decisions?: readonly string[]
  protocol: Protocol
  operations: ReadonlyMap<string, Operation>
  rights: RightsTable
  /** What the names of rights begin with, where that is not what requests are signed for. */
  actionPrefix?: string
  /** What requests and answers must be. */
  model: Model
  /** Loads what it keeps into a world, and says what happens when the moment of a row has come. */
  open: (world: World) => void
  /** Operations that answer with lists in no particular order. */
  unordered?: readonly string[]
  /** How often operations may be asked for. */
  rates?: readonly Rate[]
  /** What it adds to the control interface. */
  control?: ControlRoutes
}
