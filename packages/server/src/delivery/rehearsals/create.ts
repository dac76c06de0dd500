import { type RehearsalScenarioName, rehearsalScenarios } from '@sluice/contract'
import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { expectNotDestroyed, resolveRelease } from '../deployments/create/accept.ts'
import { later } from '../deployments/execution/state.ts'
import { insertRehearsal } from './store.ts'
import type { RehearsalRow } from './tables.ts'

/** Time in milliseconds after which the reconciler detects a rehearsal whose message was lost. */
const noticedAfterMs = 5_000

export type RehearsalRequest = {
  moduleInstanceId: string
  inputs: Record<string, unknown>
  scenarios?: RehearsalScenarioName[] | undefined
  /** Step that waits for the rehearsal, and its run. */
  requestedBy?: { stepExecutionId: string; pipelineRunId: string }
}

/**
 * Creates a rehearsal in the current transaction. Rejects it for the same reasons as a deployment, and if its type
 * cannot be rehearsed.
 */
export async function createRehearsal(
  tx: Db,
  author: Author,
  { moduleInstanceId, inputs, scenarios = [...rehearsalScenarios], requestedBy }: RehearsalRequest,
  now: Date,
): Promise<RehearsalRow> {
  const { organizationId } = author
  const asked = { organizationId, ...(requestedBy && { pipelineRunId: requestedBy.pipelineRunId }) }
  const { instance, release } = await resolveRelease(tx, asked, { moduleInstanceId, inputs })
  expectNotDestroyed(instance.status, moduleInstanceId)
  if (release.type !== 'cloud:ecs') throw notSupported(release.type)
  const { projectId, environmentId } = instance
  const inserted = await insertRehearsal(tx, {
    organizationId,
    projectId,
    environmentId,
    moduleInstanceId,
    release,
    scenarioNames: scenarios,
    triggeredBy: author.actorName,
    createdAt: now,
    updatedAt: now,
    wakeAt: later(now, noticedAfterMs),
    stepExecutionId: requestedBy?.stepExecutionId ?? null,
  })
  const details = { moduleInstanceId, inputs: Object.keys(inputs), scenarios }
  const change = { action: 'rehearsals.create', resourceType: 'rehearsal', resourceId: inserted.id, details }
  await recordChange(tx, author, { ...change, of: inserted })
  return inserted
}

const notSupported = (type: string) =>
  new ApiError(
    'rehearsalNotSupported',
    `Cannot rehearse a release of type ${type}: only releases of container services (cloud:ecs) can be rehearsed.`,
  )
