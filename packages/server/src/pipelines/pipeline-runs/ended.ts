import { abandonDeployments } from '../../delivery/deployments/execution/abandon.ts'
import type { Db } from '../../platform/db/open.ts'
import { rejectPlans } from '../iac-plans/store.ts'
import { startDependents } from '../pipeline-triggers/dependents.ts'
import type { TriggerParts } from '../pipeline-triggers/start-triggered.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { Further } from './look.ts'

export type RunEndedParts = {
  /** Shows in a module instance how its run ended; ids of the runs that start because of it. */
  instanceRunEnded: (tx: Db, run: PipelineRunRow, now: Date) => Promise<string[]>
  /** Notes what a look for drift came to; ids of the runs that start because of it. */
  lookEnded: (tx: Db, run: PipelineRunRow, parts: TriggerParts, now: Date) => Promise<string[]>
} & TriggerParts

/**
 * What follows elsewhere when a run is over, in the transaction that ends it: its module instance shows how it ended,
 * its stack what has drifted, pipelines that wait for it start, and of a run that failed or was cancelled nothing is
 * left half-way: its plans are turned down, and a deployment that still runs is cancelled.
 */
export async function runEnded(tx: Db, run: PipelineRunRow, now: Date, parts: RunEndedParts): Promise<Further> {
  const runs = [
    ...(await parts.instanceRunEnded(tx, run, now)),
    ...(await parts.lookEnded(tx, run, parts, now)),
    ...(await startDependents(tx, run, parts, now)),
  ]
  if (run.status === 'SUCCESS') return { runs, deployments: [] }
  await rejectPlans(tx, run.organizationId, run.id)
  return { runs, deployments: await abandonDeployments(tx, run, now) }
}
