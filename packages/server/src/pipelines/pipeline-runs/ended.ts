import type { Logger } from 'pino'
import { abandonDeployments } from '../../delivery/deployments/abandon.ts'
import { rejectPlans } from '../../infrastructure/iac-plans/store.ts'
import { instanceRunEnded } from '../../modules/module-instances/ended.ts'
import type { Db } from '../../platform/db/open.ts'
import { startDependents } from '../pipeline-triggers/dependents.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { Further } from './look.ts'

/**
 * What follows elsewhere when a run is over, in the transaction that ends it: its module instance shows how it ended,
 * pipelines that wait for it start, and of a run that failed or was cancelled nothing is left half-way: its plans are
 * turned down, and a deployment that still runs is cancelled.
 */
export async function runEnded(tx: Db, run: PipelineRunRow, log: Logger, now: Date): Promise<Further> {
  const runs = [...(await instanceRunEnded(tx, run, now)), ...(await startDependents(tx, run, log, now))]
  if (run.status === 'SUCCESS') return { runs, deployments: [] }
  await rejectPlans(tx, run.organizationId, run.id)
  return { runs, deployments: await abandonDeployments(tx, run, now) }
}
