import { abandonDeployments } from '../../delivery/deployments/execution/abandon.ts'
import type { Db } from '../../platform/db/open.ts'
import { rejectPlans } from '../iac-plans/store.ts'
import { startDependents } from '../pipeline-triggers/dependents.ts'
import type { TriggerParts } from '../pipeline-triggers/start-triggered.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { Further } from './look.ts'

/** A subscriber of the ends of runs, in the transaction that ends the run. Returns ids of the runs that it starts. */
export type OnRunEnded = (tx: Db, run: PipelineRunRow, now: Date) => Promise<string[]>

export type RunEndedParts = TriggerParts & { onRunEnded: readonly OnRunEnded[] }

/**
 * Does what follows the end of a run, in the transaction that ends it: subscribers learn of it, and pipelines that wait
 * for it start. A run that failed or was cancelled leaves nothing half-way: its plans are rejected, and a deployment
 * that still runs is cancelled.
 */
export async function runEnded(tx: Db, run: PipelineRunRow, now: Date, parts: RunEndedParts): Promise<Further> {
  const runs: string[] = []
  for (const subscriber of parts.onRunEnded) runs.push(...(await subscriber(tx, run, now)))
  runs.push(...(await startDependents(tx, run, parts, now)))
  if (run.status === 'SUCCESS') return { runs, deployments: [] }
  await rejectPlans(tx, run.organizationId, run.id)
  return { runs, deployments: await abandonDeployments(tx, run, now) }
}
