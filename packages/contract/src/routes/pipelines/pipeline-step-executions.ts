import { Type } from 'typebox'
import { decisionsIncluded } from '../../delivery/decision.ts'
import { stepApprovalIncluded } from '../../gates/approval-rule.ts'
import { approvalSubjectIncludes } from '../../gates/approval-subject.ts'
import {
  ApprovePipelineStepExecution,
  PipelineStepExecution,
  PipelineStepExecutionStatus,
  pipelineStepExecutionStatuses,
  RejectPipelineStepExecution,
} from '../../pipelines/pipeline-step-execution.ts'
import { StepLogPage, stepLogCursor } from '../../pipelines/step-log.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf } from '../../values/include.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

export const pipelineStepExecutionRoutes = {
  listPipelineStepExecutions: {
    operationId: 'listPipelineStepExecutions',
    method: 'GET',
    path: '/pipeline-step-executions',
    tag: 'PipelineStepExecutions',
    summary: 'List step executions of pipeline runs',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...pageParams,
        pipelineRunId: Type.Optional(Id),
        status: Type.Optional(
          Type.Array(PipelineStepExecutionStatus, {
            maxItems: pipelineStepExecutionStatuses.length,
            description: 'Filters by status. Repeat the parameter to allow several statuses.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(PipelineStepExecution)],
    errors: ['cursorInvalid'],
  },
  getPipelineStepExecution: {
    operationId: 'getPipelineStepExecution',
    method: 'GET',
    path: '/pipeline-step-executions/{id}',
    tag: 'PipelineStepExecutions',
    summary: 'Get a step execution of a pipeline run',
    permission: 'pipeline-runs:read',
    params: IdParams,
    query: Type.Object(includeOf('decisions', 'subject', 'approval'), { additionalProperties: false }),
    response: [
      200,
      dataWith(PipelineStepExecution, { ...decisionsIncluded, ...approvalSubjectIncludes, ...stepApprovalIncluded }),
    ],
    errors: ['pipelineStepExecutionNotFound'],
  },
  approvePipelineStepExecution: {
    operationId: 'approvePipelineStepExecution',
    method: 'POST',
    path: '/pipeline-step-executions/{id}/approve',
    tag: 'PipelineStepExecutions',
    summary: 'Approve a step that waits for approval',
    permission: 'approvals:write',
    on: { params: { id: 'approvals' } },
    params: IdParams,
    body: Type.Object(
      { data: Type.Optional(ApprovePipelineStepExecution) },
      { additionalProperties: false, description: 'Optional.' },
    ),
    response: [200, dataOf(PipelineStepExecution)],
    errors: [
      'pipelineStepExecutionNotFound',
      'notApprover',
      'notAwaitingApproval',
      'askedAnew',
      'notCounted',
      'alreadyApproved',
    ],
  },
  rejectPipelineStepExecution: {
    operationId: 'rejectPipelineStepExecution',
    method: 'POST',
    path: '/pipeline-step-executions/{id}/reject',
    tag: 'PipelineStepExecutions',
    summary: 'Reject a step that waits for approval',
    permission: 'approvals:write',
    on: { params: { id: 'approvals' } },
    params: IdParams,
    body: Type.Object(
      { data: Type.Optional(RejectPipelineStepExecution) },
      { additionalProperties: false, description: 'Optional.' },
    ),
    response: [200, dataOf(PipelineStepExecution)],
    errors: ['pipelineStepExecutionNotFound', 'notApprover', 'notAwaitingApproval', 'askedAnew', 'notCounted'],
  },
  withdrawPipelineStepApproval: {
    operationId: 'withdrawPipelineStepApproval',
    method: 'POST',
    path: '/pipeline-step-executions/{id}/withdraw-approval',
    tag: 'PipelineStepExecutions',
    summary: 'Withdraw your approval of a step that still waits',
    permission: 'approvals:write',
    on: { params: { id: 'approvals' } },
    params: IdParams,
    response: [200, dataOf(PipelineStepExecution)],
    errors: ['pipelineStepExecutionNotFound', 'notAwaitingApproval', 'notApproved'],
  },
  getPipelineStepExecutionLogs: {
    operationId: 'getPipelineStepExecutionLogs',
    method: 'GET',
    path: '/pipeline-step-executions/{id}/logs',
    tag: 'PipelineStepExecutions',
    summary: 'Read the log of a step',
    permission: 'pipeline-runs:read',
    params: IdParams,
    query: Type.Object({ limit: pageParams.limit, cursor: stepLogCursor }, { additionalProperties: false }),
    response: [200, StepLogPage],
    errors: ['pipelineStepExecutionNotFound', 'stepLogUnreadable'],
  },
  streamPipelineStepExecutionLogs: {
    operationId: 'streamPipelineStepExecutionLogs',
    method: 'GET',
    path: '/pipeline-step-executions/{id}/logs/stream',
    tag: 'PipelineStepExecutions',
    summary: 'Stream the log of a step',
    permission: 'pipeline-runs:read',
    params: IdParams,
    query: Type.Object({ cursor: stepLogCursor }, { additionalProperties: false }),
    response: [
      200,
      Type.String({
        description:
          "Server-sent events. Each event has a chunk of the log as its data and the chunk's sequence as its ID, so that clients can resume with Last-Event-ID. The event `end` means that the step has finished.",
      }),
    ],
    responseType: 'text/event-stream',
    errors: ['pipelineStepExecutionNotFound', 'stepLogUnreadable'],
  },
} as const satisfies RouteTable
