import type { DeploymentNotice, NotificationPayload, NotificationType, PipelineRunNotice } from '@sluice/contract'
import type { DeploymentRow } from '../../delivery/deployments/tables.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { present } from '../../platform/present.ts'
import { type Event, type Reminder, remindsAt } from './machine.ts'

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
  | 'progress'
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
  steps: Pick<PipelineStepExecutionRow, 'id' | 'stepName' | 'status' | 'approval' | 'statusDetail'>[]
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
  'deployment.approval_expires_soon': 'PENDING',
  'deployment.started': 'IN_PROGRESS',
  'deployment.paused': 'IN_PROGRESS',
  'deployment.pause_expires_soon': 'IN_PROGRESS',
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
  const { error, data } = row
  const told = tellingOf(row, linkTo)
  const { askedAt } = data.approval ?? {}
  const ending = row.status in endings ? endings[row.status as keyof typeof endings] : undefined
  return [
    ...(askedAt
      ? [told('deployment.approval_wanted', new Date(askedAt), present({ message: cut(askedIn(row)) }))]
      : []),
    ...(row.startedAt ? [told('deployment.started', row.startedAt)] : []),
    ...pausesOf(row).map(({ startedAt, message }, index) =>
      told('deployment.paused', new Date(startedAt), present({ message: cut(message) }), index + 1),
    ),
    ...(ending && row.completedAt ? [told(ending, row.completedAt, present({ error: cut(error?.message) }))] : []),
  ]
}

/** What is to be told of it before the time to decide is over, while it waits for somebody. */
export function remindersOfDeployment(row: ToldDeployment, linkTo: LinkTo): Reminder[] {
  const told = tellingOf(row, linkTo)
  const remind = (type: keyof typeof statusThen, from: string, until: string, message?: string, nth?: number) => {
    const expiresAt = new Date(until)
    const more = present({ message: cut(message), expiresAt: expiresAt.toISOString() })
    return { event: told(type, remindsAt(new Date(from), expiresAt), more, nth), expiresAt }
  }
  const { status, data, progress } = row
  if (status === 'PENDING') {
    const { askedAt, demands = [] } = data.approval ?? {}
    const until = demands
      .flatMap(({ mode, isMet, expiresAt }) => (mode === 'ENFORCE' && !isMet && expiresAt ? [expiresAt] : []))
      .toSorted()[0]
    if (askedAt === undefined || until === undefined) return []
    return [remind('deployment.approval_expires_soon', askedAt, until, askedIn(row))]
  }
  if (status !== 'IN_PROGRESS') return []
  const pauses = pausesOf(row)
  return progress.hooks.flatMap(({ hookId, state, expiresAt }) => {
    const index = pauses.findIndex((pause) => pause.hookId === hookId)
    const pause = pauses[index]
    if (state !== 'waiting' || expiresAt === undefined || !pause) return []
    return [remind('deployment.pause_expires_soon', pause.startedAt, expiresAt, pause.message, index + 1)]
  })
}

const pausesOf = ({ data }: ToldDeployment) => (data.events ?? []).filter(({ stepCode }) => stepCode === 'PAUSED')

/** Says of the deployment that something happened, the nth of its type. */
function tellingOf(row: ToldDeployment, linkTo: LinkTo) {
  const { id, organizationId, description, deploymentType, triggerSource, pipelineRunId, data } = row
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
  return (type: keyof typeof statusThen, at: Date, more: Partial<DeploymentNotice> = {}, nth?: number): Event => ({
    id: [id, type, nth].filter((part) => part !== undefined).join('.'),
    recordId: id,
    projectId: project.id,
    environmentId: environment.id,
    payload: payloadOf(type, at, present({ ...facts, status: statusThen[type], ...more })),
  })
}

/** What approval rules asked for at first, as the release said it then. */
const askedIn = ({ data: { approval, events = [] } }: ToldDeployment): string | undefined =>
  events.find(({ stepCode, startedAt }) => stepCode === 'QUEUED' && startedAt === approval?.askedAt)?.message

/** The same of a run of a pipeline. */
export function eventsOfRun(row: ToldRun, linkTo: LinkTo): Event[] {
  const told = tellingOfRun(row, linkTo)
  const questions = row.steps.flatMap((step) => {
    if (!step.approval) return []
    const at = new Date(step.approval.requestedAt)
    return [told('pipeline_run.approval_wanted', at, askedBy(step), step)]
  })
  const inOrder = questions.toSorted((one, other) => (one.payload.timestamp < other.payload.timestamp ? -1 : 1))
  return [...inOrder, ...endOf(row).map(({ type, at, ...more }) => told(type, at, more))]
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
    return [{ event: told('pipeline_run.approval_expires_soon', at, more, step), expiresAt }]
  })
}

type ToldStep = ToldRun['steps'][number]

/** Says of the run that something happened; or of a step of it, which may ask anew once it is tried again. */
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
    step?: ToldStep,
  ): Event => ({
    id: step?.approval ? `${step.id}.${type}.${Date.parse(step.approval.requestedAt)}` : `${id}.${type}`,
    recordId: id,
    projectId: project.id,
    environmentId: row.environmentId,
    payload: payloadOf(type, at, present({ ...facts, ...more })),
  })
}

const askedBy = ({ id, stepName: name, statusDetail }: ToldStep) => ({
  ...({ status: 'PENDING_APPROVAL', step: { id, name } } as const),
  ...present({ message: cut(questionIn(statusDetail)) }),
})

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
