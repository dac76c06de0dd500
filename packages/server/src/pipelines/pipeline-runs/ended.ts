import { cancelDeploymentsOf } from '../../delivery/deployments/execution/cancel-deployment.ts'
import type { Db } from '../../platform/db/open.ts'
import { rejectPlans } from '../iac-plans/store.ts'
import { startDependents } from '../pipeline-triggers/dependents.ts'
import type { TriggerParts } from '../pipeline-triggers/start-triggered.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { FollowUpIds } from './advance.ts'

/**
 * Subscriber to the end of runs, called in the transaction that ends the run. Returns the ids of runs that it started.
 */
export type OnRunEnded = (tx: Db, run: PipelineRunRow, now: Date) => Promise<string[]>

export type RunEndedParts = TriggerParts & { onRunEnded: readonly OnRunEnded[] }

/**
 * Handles the end of a run in the same transaction: notifies subscribers and starts pipelines that wait for it. For a
 * failed or cancelled run, rejects its plans and cancels its active deployments.
 */
export async function runEnded(tx: Db, run: PipelineRunRow, now: Date, parts: RunEndedParts): Promise<FollowUpIds> {
  const runs: string[] = []
  for (const subscriber of parts.onRunEnded) runs.push(...(await subscriber(tx, run, now)))
  runs.push(...(await startDependents(tx, run, parts, now)))
  if (run.status === 'SUCCESS') return { runs, deployments: [] }
  await rejectPlans(tx, run.organizationId, run.id)
  return { runs, deployments: await cancelDeploymentsOf(tx, run, now) }
}
