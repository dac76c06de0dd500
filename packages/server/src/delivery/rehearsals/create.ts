import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { expectNotDestroyed, resolveRelease } from '../deployments/create/accept.ts'
import { resolveRollback } from '../deployments/create/rollback.ts'
import { later } from '../deployments/execution/state.ts'
import type { RequestedScenario } from './job.ts'
import { applicableScenarios, scenarioColumns } from './scenarios.ts'
import { insertRehearsal } from './store.ts'
import type { RehearsalRow } from './tables.ts'

/** Time in milliseconds after which the reconciler detects a rehearsal whose message was lost. */
const noticedAfterMs = 5_000

export type RehearsalRequest = {
  moduleInstanceId: string
  inputs: Record<string, unknown>
  /** Deployment to which a rollback is rehearsed, instead of a release with the inputs. */
  rollbackToDeploymentId?: string | undefined
  scenarios?: RequestedScenario[] | undefined
  /** Step that waits for the rehearsal, and its run. */
  requestedBy?: { stepExecutionId: string; pipelineRunId: string }
}

/**
 * Creates a rehearsal in the current transaction. Rejects it for the same reasons as a deployment, and if a
 * scenario does not apply to its type.
 */
export async function createRehearsal(
  tx: Db,
  author: Author,
  { moduleInstanceId, inputs, rollbackToDeploymentId: toId, scenarios: requested, requestedBy }: RehearsalRequest,
  now: Date,
): Promise<RehearsalRow> {
  const { organizationId } = author
  const asked = { organizationId, ...(requestedBy && { pipelineRunId: requestedBy.pipelineRunId }) }
  const { instance, release } =
    toId === undefined
      ? await resolveRelease(tx, asked, { moduleInstanceId, inputs })
      : await resolveRollback(tx, organizationId, { moduleInstanceId, toId })
  expectNotDestroyed(instance.status, moduleInstanceId)
  const scenarios = applicableScenarios(release.type, requested)
  const { projectId, environmentId } = instance
  const inserted = await insertRehearsal(tx, {
    organizationId,
    projectId,
    environmentId,
    moduleInstanceId,
    rollbackToDeploymentId: toId ?? null,
    release,
    ...scenarioColumns(scenarios),
    triggeredBy: author.actorName,
    createdAt: now,
    updatedAt: now,
    wakeAt: later(now, noticedAfterMs),
    stepExecutionId: requestedBy?.stepExecutionId ?? null,
  })
  const returnsTo = toId === undefined ? {} : { rollbackToDeploymentId: toId }
  const details = { moduleInstanceId, inputs: Object.keys(inputs), ...returnsTo, scenarios }
  const change = { action: 'rehearsals.create', resourceType: 'rehearsal', resourceId: inserted.id, details }
  await recordChange(tx, author, { ...change, of: inserted })
  return inserted
}
