import type { RunTriggerSource } from '@sluice/contract'
import type { Author } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Action } from './machine.ts'
import type { ModuleInstanceRow } from './tables.ts'

/** Who asks for a run, how, and when. */
export type RunOrder = {
  author: Author
  isAutoApproved: boolean
  triggerSource: RunTriggerSource
  triggeredBy: string
  now: Date
}

/** What a run that was asked for began with. */
export type StartedRuns = {
  /** Where each instance is now; of several, in the order in which they are applied. */
  instances: ModuleInstanceRow[]
  /** Ids of the runs that the engine is to be told of, once the transaction is committed. */
  runIds: string[]
}

/** The runs that change the infrastructure of instances. They stand on pipelines, above modules, and are handed in. */
export interface InstanceRuns {
  /** Starts the run that changes or destroys the infrastructure of a locked instance, and shows it in its status. */
  start(tx: Db, locked: ModuleInstanceRow, action: Action, order: RunOrder): Promise<StartedRuns>
  /**
   * Starts the runs of the instances that refer to none of the others; the others wait for those that they refer to.
   */
  applyInOrder(tx: Db, organizationId: string, ids: readonly string[], order: RunOrder): Promise<StartedRuns>
  /** Tells the engine of runs. */
  tell(runIds: string[]): Promise<void>
}
