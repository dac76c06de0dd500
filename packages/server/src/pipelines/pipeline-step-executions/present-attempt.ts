import { and, eq, type SQL } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/** Identifies an attempt of a step. Reports of an earlier attempt are ignored. */
export type AttemptKey = { organizationId: string; id: string; attemptEpoch: number }

/**
 * Returns the condition that a row is that of the step with this attempt in progress. Every write of an attempt
 * includes it.
 */
export const isCurrentAttempt = ({ organizationId, id, attemptEpoch }: AttemptKey): SQL | undefined =>
  and(
    eq(pipelineStepExecutions.organizationId, organizationId),
    eq(pipelineStepExecutions.id, id),
    eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
    eq(pipelineStepExecutions.attemptEpoch, attemptEpoch),
  )
