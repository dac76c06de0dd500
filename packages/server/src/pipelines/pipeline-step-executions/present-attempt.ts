import { and, eq, type SQL } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/** Which attempt of which step: what an older one reports changes nothing. */
export type AttemptKey = { organizationId: string; id: string; attemptEpoch: number }

/** Whether a row is that of the step, with this attempt under way. Part of every write that an attempt makes. */
export const isPresentAttempt = ({ organizationId, id, attemptEpoch }: AttemptKey): SQL | undefined =>
  and(
    eq(pipelineStepExecutions.organizationId, organizationId),
    eq(pipelineStepExecutions.id, id),
    eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
    eq(pipelineStepExecutions.attemptEpoch, attemptEpoch),
  )
