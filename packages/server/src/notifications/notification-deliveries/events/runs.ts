import type { NotificationType, PipelineRunNotice } from '@sluice/contract'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../../pipelines/pipelines/tables.ts'
import { present } from '../../../platform/present.ts'
import { type Event, type Reminder, remindsAt } from '../machine.ts'
import { cut, type LinkTo, type Named, payloadOf, textIn } from './parts.ts'

/** A run with its steps, and the names of what it is part of. */
export type ToldRun = Pick<
  PipelineRunRow,
  | 'id'
  | 'organizationId'
  | 'number'
  | 'status'
  | 'triggerSource'
  | 'triggeredBy'
  | 'moduleInstanceId'
  | 'completedAt'
  | 'error'
> & {
  project: Named
  pipeline: Named
  /** Of the module instance that it is about. */
  environmentId: string | null
  steps: Pick<
    PipelineStepExecutionRow,
    'id' | 'stepName' | 'status' | 'queueReason' | 'queueMetadata' | 'approval' | 'statusDetail' | 'updatedAt'
  >[]
}

/** The same of a run of a pipeline. */
export function eventsOfRun(row: ToldRun, linkTo: LinkTo): Event[] {
  const told = tellingOfRun(row, linkTo)
  const questions = row.steps.flatMap((step) => {
    if (!step.approval) return []
    const at = new Date(step.approval.requestedAt)
    return [told('pipeline_run.approval_requested', at, askedBy(step), { id: step.id, nth: at.getTime() })]
  })
  const frozen = row.steps.flatMap((step) => {
    const until = textIn(step.statusDetail?.freeze, 'until')
    if (until === undefined) return []
    const more = { status: row.status, step: { id: step.id, name: step.stepName } }
    const message = cut(textIn(step.statusDetail?.freeze, 'message'))
    const of = { id: step.id, nth: Date.parse(until) }
    return [told('pipeline_run.frozen', step.updatedAt, present({ ...more, message }), of)]
  })
  const inOrder = [...versionWaitedFor(row, told), ...questions, ...frozen].toSorted((one, other) =>
    one.payload.timestamp < other.payload.timestamp ? -1 : 1,
  )
  return [...inOrder, ...endOf(row).map(({ type, at, ...more }) => told(type, at, more))]
}

/** That its version is to be approved: once, however many runs of it wait, and each of whose steps. */
function versionWaitedFor(row: ToldRun, told: ReturnType<typeof tellingOfRun>): Event[] {
  const step = row.steps.find(
    ({ status, queueReason }) => status === 'QUEUED' && queueReason === 'VERSION_NOT_APPROVED',
  )
  const pipelineVersionId = textIn(step?.queueMetadata, 'pipelineVersionId')
  if (!step || pipelineVersionId === undefined) return []
  const more = { status: row.status, pipelineVersionId, message: cut(textIn(step.queueMetadata, 'asks')) }
  return [told('pipeline_run.version_approval_requested', step.updatedAt, present(more), { id: pipelineVersionId })]
}

/** What is to be told of it before the time to decide about its steps is over. */
export function remindersOfRun(row: ToldRun, linkTo: LinkTo): Reminder[] {
  const told = tellingOfRun(row, linkTo)
  return row.steps.flatMap((step) => {
    const { status, approval } = step
    if (status !== 'PENDING_APPROVAL' || !approval) return []
    const expiresAt = new Date(approval.expiresAt)
    const at = remindsAt(new Date(approval.requestedAt), expiresAt)
    const more = { ...askedBy(step), expiresAt: expiresAt.toISOString() }
    const of = { id: step.id, nth: Date.parse(approval.requestedAt) }
    return [{ event: told('pipeline_run.approval_expires_soon', at, more, of), expiresAt }]
  })
}

type ToldStep = ToldRun['steps'][number]

/** Says that something happened: of the run, of its version, or of a step of it, to which the same may happen again. */
function tellingOfRun(row: ToldRun, linkTo: LinkTo) {
  const { id, organizationId, number, triggerSource, triggeredBy, moduleInstanceId, project, pipeline } = row
  const facts = {
    organizationId,
    pipelineRunId: id,
    number,
    url: linkTo(`runs/${id}`),
    ...{ project, pipeline, triggerSource },
    triggeredBy: cut(triggeredBy),
    moduleInstanceId: moduleInstanceId ?? undefined,
  }
  return (
    type: NotificationType,
    at: Date,
    more: Pick<PipelineRunNotice, 'status'> & Partial<PipelineRunNotice>,
    of: { id: string; nth?: number } = { id },
  ): Event => ({
    id: [of.id, type, of.nth].filter((part) => part !== undefined).join('.'),
    recordId: id,
    projectId: project.id,
    environmentId: row.environmentId,
    payload: payloadOf(type, at, present({ ...facts, ...more })),
  })
}

const askedBy = ({ id, stepName: name, approval, statusDetail }: ToldStep) => ({
  ...({ status: 'PENDING_APPROVAL', step: { id, name } } as const),
  ...present({ requestedAt: approval?.requestedAt, message: cut(textIn(statusDetail?.approval, 'message')) }),
})

function endOf({ status, completedAt: at, error }: ToldRun) {
  if (!at) return []
  if (status === 'CANCELLED') return [{ type: 'pipeline_run.cancelled', at, status } as const]
  if (status === 'SUCCESS') return [{ type: 'pipeline_run.succeeded', at, status } as const]
  if (status === 'ERROR')
    return [{ type: 'pipeline_run.failed', at, status, ...present({ error: cut(error?.message) }) } as const]
  return []
}
