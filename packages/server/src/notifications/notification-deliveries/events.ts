import type { DeploymentNotice, NotificationPayload, NotificationType, PipelineRunNotice } from '@sluice/contract'
import type { DeploymentRow } from '../../delivery/deployments/tables.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { present } from '../../platform/present.ts'
import type { Event } from './machine.ts'

type Named = { id: string; name: string }

/** A deployment with the names of what it is part of. */
export type ToldDeployment = Pick<
  DeploymentRow,
  | 'id'
  | 'organizationId'
  | 'status'
  | 'deploymentType'
  | 'description'
  | 'triggerSource'
  | 'pipelineRunId'
  | 'startedAt'
  | 'completedAt'
  | 'error'
  | 'data'
> & { project: Named; environment: Named; moduleInstance: Named }

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
  steps: Pick<PipelineStepExecutionRow, 'id' | 'stepName' | 'approval' | 'statusDetail'>[]
}

/** The address of a page of the console, such as `deployments/dep_…`. */
export type LinkTo = (page: string) => string

/** How a deployment ended, by its status. */
const endings = {
  SUCCESS: 'deployment.succeeded',
  ERROR: 'deployment.failed',
  ROLLED_BACK: 'deployment.rolled_back',
  CANCELLED: 'deployment.cancelled',
} as const

const statusThen = {
  'deployment.approval_wanted': 'PENDING',
  'deployment.started': 'IN_PROGRESS',
  'deployment.paused': 'IN_PROGRESS',
  'deployment.succeeded': 'SUCCESS',
  'deployment.failed': 'ERROR',
  'deployment.rolled_back': 'ROLLED_BACK',
  'deployment.cancelled': 'CANCELLED',
} as const satisfies Partial<Record<NotificationType, DeploymentRow['status']>>

/**
 * All that there is to tell of a deployment so far, oldest first. It follows from the row alone, and its ids with it:
 * told anew from a later row, the same has the same id.
 */
export function eventsOfDeployment(row: ToldDeployment, linkTo: LinkTo): Event[] {
  const { id, organizationId, description, deploymentType, triggerSource, pipelineRunId, error, data } = row
  const { project, environment, moduleInstance } = row
  const facts = {
    organizationId,
    deploymentId: id,
    url: linkTo(`deployments/${id}`),
    deploymentType,
    description: cut(description),
    ...{ project, environment, moduleInstance, triggerSource },
    pipelineRunId: pipelineRunId ?? undefined,
    triggeredBy: cut(data.triggeredBy),
  }
  const told = (
    type: keyof typeof statusThen,
    at: Date,
    more: Partial<DeploymentNotice> = {},
    nth?: number,
  ): Event => ({
    id: [id, type, nth].filter((part) => part !== undefined).join('.'),
    recordId: id,
    projectId: project.id,
    environmentId: environment.id,
    payload: payloadOf(type, at, present({ ...facts, status: statusThen[type], ...more })),
  })
  const pauses = (data.events ?? []).filter(({ stepCode }) => stepCode === 'PAUSED')
  const { askedAt } = data.approval ?? {}
  const ending = row.status in endings ? endings[row.status as keyof typeof endings] : undefined
  return [
    ...(askedAt
      ? [told('deployment.approval_wanted', new Date(askedAt), present({ message: cut(askedIn(row)) }))]
      : []),
    ...(row.startedAt ? [told('deployment.started', row.startedAt)] : []),
    ...pauses.map(({ startedAt, message }, index) =>
      told('deployment.paused', new Date(startedAt), present({ message: cut(message) }), index + 1),
    ),
    ...(ending && row.completedAt ? [told(ending, row.completedAt, present({ error: cut(error?.message) }))] : []),
  ]
}

/** What approval rules asked for at first, as the release said it then. */
const askedIn = ({ data: { approval, events = [] } }: ToldDeployment): string | undefined =>
  events.find(({ stepCode, startedAt }) => stepCode === 'QUEUED' && startedAt === approval?.askedAt)?.message

/** The same of a run of a pipeline. */
export function eventsOfRun(row: ToldRun, linkTo: LinkTo): Event[] {
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
  const told = (
    type: NotificationType,
    at: Date,
    more: Pick<PipelineRunNotice, 'status'> & Partial<PipelineRunNotice>,
    eventId = `${id}.${type}`,
  ): Event => ({
    id: eventId,
    recordId: id,
    projectId: project.id,
    environmentId: row.environmentId,
    payload: payloadOf(type, at, present({ ...facts, ...more })),
  })
  const questions = row.steps.flatMap(({ id: stepId, stepName, approval, statusDetail }) => {
    if (!approval) return []
    const at = new Date(approval.requestedAt)
    const more = { status: 'PENDING_APPROVAL', step: { id: stepId, name: stepName } } as const
    const message = cut(questionIn(statusDetail))
    const eventId = `${stepId}.pipeline_run.approval_wanted.${at.getTime()}`
    return [told('pipeline_run.approval_wanted', at, { ...more, ...present({ message }) }, eventId)]
  })
  const inOrder = questions.toSorted((one, other) => (one.payload.timestamp < other.payload.timestamp ? -1 : 1))
  return [...inOrder, ...endOf(row).map(({ type, at, ...more }) => told(type, at, more))]
}

function endOf({ status, completedAt: at, error }: ToldRun) {
  if (!at) return []
  if (status === 'CANCELLED') return [{ type: 'pipeline_run.cancelled', at, status } as const]
  if (status === 'SUCCESS') return [{ type: 'pipeline_run.succeeded', at, status } as const]
  if (status === 'ERROR')
    return [{ type: 'pipeline_run.failed', at, status, ...present({ error: cut(error?.message) }) } as const]
  return []
}

/** What the step asks, where it asks something of its own. */
function questionIn(statusDetail: PipelineStepExecutionRow['statusDetail']): string | undefined {
  const approval = statusDetail?.approval
  if (typeof approval !== 'object' || approval === null) return undefined
  const message: unknown = Reflect.get(approval, 'message')
  return typeof message === 'string' ? message : undefined
}

const payloadOf = (
  type: NotificationType,
  at: Date,
  data: DeploymentNotice | PipelineRunNotice,
): NotificationPayload => ({ type, timestamp: at.toISOString(), data })

/** So long may be what people wrote: with that, no payload is larger than 64 KiB. Characters. */
const longest = 2_000

function cut(text: string): string
function cut(text: string | undefined): string | undefined
function cut(text: string | undefined): string | undefined {
  return text?.slice(0, longest).toWellFormed()
}
