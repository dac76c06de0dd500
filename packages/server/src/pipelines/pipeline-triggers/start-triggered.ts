import type { RunTriggerSource } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import type { Logger } from 'pino'
import type { Author } from '../../identity/audit-events/author.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Limits } from '../../platform/limits/limits.ts'
import { findProject } from '../../projects/projects/store.ts'
import { admitRun } from '../pipeline-runs/admit.ts'
import { namesOf } from '../pipeline-runs/context.ts'
import { startRun } from '../pipeline-runs/start.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import type { RunTrigger } from '../pipelines/tables.ts'
import type { Triggered } from './store.ts'

type Json = Record<string, unknown>

/** Dependencies of triggers. The limits of an organization also apply to runs by triggers. */
export type TriggerParts = { log: Logger; limits: Limits }

/** Event, and the trigger of a pipeline that it matches. */
export type TriggerEvent = {
  config: Exclude<PipelineTrigger, { type: 'manual' }>
  trigger: RunTrigger
  author: Author
  triggerSource: RunTriggerSource
  /** Display name. */
  triggeredBy: string
}

/**
 * Starts the run of a trigger and returns the ids of the runs for the engine. A rejected run is logged without
 * affecting the rest of the transaction, because there is no caller to receive the error.
 */
export async function startTriggered(
  tx: Db,
  { pipeline, version }: Triggered,
  { config, ...occasion }: TriggerEvent,
  { log, limits }: TriggerParts,
  now: Date,
): Promise<string[]> {
  const { organizationId, id: pipelineId } = pipeline
  if (await isEnding(tx, organizationId)) return [] // it is being deleted, so that nothing may start any more
  try {
    return await tx.transaction(async (savepoint) => {
      await admitRun(limits, savepoint, organizationId)
      const project = await findProject(savepoint, organizationId, pipeline.projectId)
      const roots = { trigger: occasion.trigger, pipeline: namesOf(pipeline), project: project && namesOf(project) }
      const inputs = render(config.inputs ?? {}, roots, 'inputs') as Json
      const run = await startRun(savepoint, { organizationId, pipeline, version, inputs, ...occasion }, now)
      return [run.id, ...run.superseded]
    })
  } catch (error) {
    const about = { pipelineId, trigger: config.type }
    if (error instanceof ApiError) {
      log.warn({ ...about, reason: error.message, details: error.extras.details }, 'a trigger started no run')
    } else if (error instanceof ExpressionError) {
      log.warn({ ...about, faults: error.faults }, 'a trigger started no run')
    } else {
      // If the database is unavailable, the surrounding transaction fails as well and is repeated.
      log.error({ ...about, err: error }, 'a trigger started no run')
    }
    return []
  }
}
