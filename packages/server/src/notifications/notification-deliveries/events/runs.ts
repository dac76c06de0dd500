import type { NotificationType, PipelineRunNotice } from '@sluice/contract'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../../pipelines/pipelines/tables.ts'
import { present } from '../../../platform/present.ts'
import { type Event, type Reminder, reminderTime } from '../machine.ts'
import { type LinkTo, type Named, payloadOf, textIn, truncateText } from './parts.ts'

/** Run with its steps and the names of related records. */
export type NotifiableRun = Pick<
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
  /** Environment of the run's module instance. */
  environmentId: string | null
  steps: Pick<
    PipelineStepExecutionRow,
    'id' | 'stepName' | 'status' | 'queueReason' | 'queueMetadata' | 'approval' | 'statusDetail' | 'updatedAt'
  >[]
}

/** Returns all events of a pipeline run so far, oldest first. */
export function eventsOfRun(row: NotifiableRun, linkTo: LinkTo): Event[] {
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
    const message = truncateText(textIn(step.statusDetail?.freeze, 'message'))
    const of = { id: step.id, nth: Date.parse(until) }
    return [told('pipeline_run.frozen', step.updatedAt, present({ ...more, message }), of)]
  })
  const inOrder = [...versionWaitedFor(row, told), ...questions, ...frozen].toSorted((one, other) =>
    one.payload.timestamp < other.payload.timestamp ? -1 : 1,
  )
  return [...inOrder, ...endOf(row).map(({ type, at, ...more }) => told(type, at, more))]
}

/** Returns the event that a pipeline version waits for approval: one, however many runs and steps wait for it. */
function versionWaitedFor(row: NotifiableRun, told: ReturnType<typeof tellingOfRun>): Event[] {
  const step = row.steps.find(
    ({ status, queueReason }) => status === 'QUEUED' && queueReason === 'VERSION_NOT_APPROVED',
  )
  const pipelineVersionId = textIn(step?.queueMetadata, 'pipelineVersionId')
  if (!step || pipelineVersionId === undefined) return []
  const more = { status: row.status, pipelineVersionId, message: truncateText(textIn(step.queueMetadata, 'asks')) }
  return [told('pipeline_run.version_approval_requested', step.updatedAt, present(more), { id: pipelineVersionId })]
}

/** Returns the reminders before pending approvals of a run's steps time out. */
export function remindersOfRun(row: NotifiableRun, linkTo: LinkTo): Reminder[] {
  const told = tellingOfRun(row, linkTo)
  return row.steps.flatMap((step) => {
    const { status, approval } = step
    if (status !== 'PENDING_APPROVAL' || !approval) return []
    const expiresAt = new Date(approval.expiresAt)
    const at = reminderTime(new Date(approval.requestedAt), expiresAt)
    const more = { ...askedBy(step), expiresAt: expiresAt.toISOString() }
    const of = { id: step.id, nth: Date.parse(approval.requestedAt) }
    return [{ event: told('pipeline_run.approval_expires_soon', at, more, of), expiresAt }]
  })
}

type NotifiableStep = NotifiableRun['steps'][number]

/** Returns a function that creates an event of the run, its version or a step, numbered if it can repeat. */
function tellingOfRun(row: NotifiableRun, linkTo: LinkTo) {
  const { id, organizationId, number, triggerSource, triggeredBy, moduleInstanceId, project, pipeline } = row
  const facts = {
    organizationId,
    pipelineRunId: id,
    number,
    url: linkTo(`runs/${id}`),
    project,
    pipeline,
    triggerSource,
    triggeredBy: truncateText(triggeredBy),
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

const askedBy = ({ id, stepName: name, approval, statusDetail }: NotifiableStep) => ({
  ...({ status: 'PENDING_APPROVAL', step: { id, name } } as const),
  ...present({ requestedAt: approval?.requestedAt, message: truncateText(textIn(statusDetail?.approval, 'message')) }),
})

function endOf({ status, completedAt: at, error }: NotifiableRun) {
  if (!at) return []
  if (status === 'CANCELLED') return [{ type: 'pipeline_run.cancelled', at, status } as const]
  if (status === 'SUCCESS') return [{ type: 'pipeline_run.succeeded', at, status } as const]
  if (status === 'ERROR')
    return [{ type: 'pipeline_run.failed', at, status, ...present({ error: truncateText(error?.message) }) } as const]
  return []
}
