import type { RunTriggerSource } from '@sluice/contract'
import type { Author } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Action } from './machine.ts'
import type { ModuleInstanceRow } from './tables.ts'

/** Who requests a run, how, and when. */
export type RunOrder = {
  author: Author
  isAutoApproved: boolean
  triggerSource: RunTriggerSource
  triggeredBy: string
  now: Date
}

/** Result of a request for runs. */
export type StartedRuns = {
  /** Current instances, in the order of their applies. */
  instances: ModuleInstanceRow[]
  /** Ids of the runs to notify the engine of after the commit. */
  runIds: string[]
}

/** Runs that change the infrastructure of instances. Implemented by a higher layer and injected. */
export interface InstanceRuns {
  /** Starts the run that changes or destroys a locked instance's infrastructure, and sets its status. */
  start(tx: Db, locked: ModuleInstanceRow, action: Action, order: RunOrder): Promise<StartedRuns>
  /** Starts the runs of instances without references to the others. The rest wait for the instances they refer to. */
  applyInOrder(tx: Db, organizationId: string, ids: readonly string[], order: RunOrder): Promise<StartedRuns>
  /** Notifies the engine of runs. */
  tell(runIds: string[]): Promise<void>
}
