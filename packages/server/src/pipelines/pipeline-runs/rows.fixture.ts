import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'

const at = new Date('2026-03-05T11:00:00Z')
const record = { createdAt: at, updatedAt: at, organizationId: 'org_1' }
const untouched = { startedAt: null, completedAt: null, error: null, revision: 0, wakeAt: null, wakeSeq: 0 }

/** Returns the row of a new step, with changes. */
export const stepRow = (more: Partial<PipelineStepExecutionRow> = {}): PipelineStepExecutionRow => ({
  ...record,
  ...untouched,
  id: 'step_1',
  pipelineRunId: 'run_1',
  stepId: 'a',
  stepName: 'a',
  stepType: 'command',
  status: 'QUEUED',
  queueReason: 'READY',
  queueMetadata: {},
  attemptEpoch: 0,
  retryAttempt: 0,
  isLastRetry: true,
  engineWorkflowId: 'step_1',
  engineRunId: '',
  inputData: null,
  outputData: null,
  statusDetail: null,
  moduleInstanceId: null,
  logs: null,
  decision: null,
  position: 0,
  approval: null,
  progress: {},
  stackId: null,
  executionEnvironmentId: null,
  runnerId: null,
  leaseUntil: null,
  cancelRequestedAt: null,
  deadlineAt: null,
  waitingFor: null,
  ...more,
})

/** Returns the row of a new run, with changes. */
export const runRow = (more: Partial<PipelineRunRow> = {}): PipelineRunRow => ({
  ...record,
  ...untouched,
  id: 'run_1',
  pipelineId: 'pl_1',
  pipelineVersionId: 'plv_1',
  number: 1,
  description: null,
  inputs: {},
  status: 'QUEUED',
  triggerSource: 'API',
  triggeredBy: 'Ada',
  trigger: null,
  concurrencyGroup: null,
  parentStepExecutionId: null,
  retryOf: null,
  moduleInstanceId: null,
  traceparent: null,
  actsFor: null,
  isAutoApproved: false,
  cancelRequest: null,
  deadlineAt: new Date('2026-06-01T00:00:00Z'),
  waitingFor: null,
  ...more,
})
