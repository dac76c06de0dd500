import type { DeploymentNotice, NotificationType } from '@sluice/contract'
import type { DeploymentRow } from '../../../delivery/deployments/store/tables.ts'
import { endOfFreeze } from '../../../gates/evaluate.ts'
import { present } from '../../../platform/present.ts'
import { artifactOf } from '../artifact.ts'
import { type Event, type Reminder, reminderTime } from '../machine.ts'
import { type DigestOf, type LinkTo, type Named, payloadOf, truncateText } from './parts.ts'

/** Deployment with the names of related records. */
export type NotifiableDeployment = Pick<
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
  | 'waitingFor'
  | 'release'
> & {
  project: Named
  environment: Named
  moduleInstance: Named
  /** Release that it replaced; null for the first. */
  before: Pick<DeploymentRow, 'id' | 'release' | 'data'> | null
}

/** Event type by final status. */
const endings = {
  SUCCESS: 'deployment.succeeded',
  ERROR: 'deployment.failed',
  ROLLED_BACK: 'deployment.rolled_back',
  CANCELLED: 'deployment.cancelled',
} as const

const statusThen = {
  'deployment.frozen': 'PENDING',
  'deployment.approval_requested': 'PENDING',
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
 * Returns all events of a deployment so far, oldest first. They and their ids depend only on the row, so processing it
 * again produces the same ids.
 */
export function eventsOfDeployment(row: NotifiableDeployment, linkTo: LinkTo, digestOf: DigestOf): Event[] {
  const { error, data } = row
  const told = tellingOf(row, linkTo)
  const { askedAt } = data.approval ?? {}
  const ending = row.status in endings ? endings[row.status as keyof typeof endings] : undefined
  return [
    ...(askedAt ? [told('deployment.approval_requested', new Date(askedAt), approvalWanted(row, digestOf))] : []),
    ...freezeOn(row).map(({ startedAt, message }) => {
      const at = new Date(startedAt)
      return told('deployment.frozen', at, present({ message: truncateText(message) }), at.getTime())
    }),
    ...(row.startedAt ? [told('deployment.started', row.startedAt)] : []),
    ...pausesOf(row).map(({ startedAt, message, hookId }, index) =>
      told('deployment.paused', new Date(startedAt), present({ message: truncateText(message), hookId }), index + 1),
    ),
    ...(ending && row.completedAt
      ? [told(ending, row.completedAt, present({ error: truncateText(error?.message), ...runningAfter(row) }))]
      : []),
  ]
}

/** Returns what runs after the deployment, if known. */
function runningAfter(row: NotifiableDeployment): Pick<Partial<DeploymentNotice>, 'artifact' | 'isFirst'> {
  const { status, before, moduleInstance } = row
  if (status === 'SUCCESS') return { artifact: artifactOf(moduleInstance.name, row), isFirst: before === null }
  return status === 'ROLLED_BACK' && before ? { artifact: artifactOf(moduleInstance.name, before) } : {}
}

/** Returns the deployment events about the freeze that currently blocks it. */
const freezeOn = ({ status, waitingFor, data }: NotifiableDeployment) =>
  status === 'PENDING' && waitingFor === endOfFreeze
    ? (data.events ?? []).filter(({ stepCode }) => stepCode === 'QUEUED').slice(-1)
    : []

/** Returns the reminders before pending decisions of a deployment time out. */
export function remindersOfDeployment(row: NotifiableDeployment, linkTo: LinkTo, digestOf: DigestOf): Reminder[] {
  const told = tellingOf(row, linkTo)
  type Asked = { from: string; until: string; more: Partial<DeploymentNotice>; nth?: number }
  const remind = (type: keyof typeof statusThen, { from, until, more, nth }: Asked) => {
    const expiresAt = new Date(until)
    const said = { ...more, expiresAt: expiresAt.toISOString() }
    return { event: told(type, reminderTime(new Date(from), expiresAt), said, nth), expiresAt }
  }
  const { status, data, progress } = row
  if (status === 'PENDING') {
    const { askedAt, demands = [] } = data.approval ?? {}
    const until = demands
      .flatMap(({ mode, isMet, expiresAt }) => (mode === 'ENFORCE' && !isMet && expiresAt ? [expiresAt] : []))
      .toSorted()[0]
    if (askedAt === undefined || until === undefined) return []
    const more = approvalWanted(row, digestOf)
    return [remind('deployment.approval_expires_soon', { from: askedAt, until, more })]
  }
  if (status !== 'IN_PROGRESS') return []
  const pauses = pausesOf(row)
  return progress.hooks.flatMap(({ hookId, state, expiresAt }) => {
    const index = pauses.findIndex((pause) => pause.hookId === hookId)
    const pause = pauses[index]
    if (state !== 'waiting' || expiresAt === undefined || !pause) return []
    const more = present({ message: truncateText(pause.message), hookId })
    return [remind('deployment.pause_expires_soon', { from: pause.startedAt, until: expiresAt, more, nth: index + 1 })]
  })
}

const pausesOf = ({ data }: NotifiableDeployment) => (data.events ?? []).filter(({ stepCode }) => stepCode === 'PAUSED')

/** Returns a function that creates the nth event of a type for the deployment. */
function tellingOf(row: NotifiableDeployment, linkTo: LinkTo) {
  const { id, organizationId, description, deploymentType, triggerSource, pipelineRunId, data } = row
  const { project, environment, moduleInstance } = row
  const facts = {
    organizationId,
    deploymentId: id,
    url: linkTo(`deployments/${id}`),
    deploymentType,
    description: truncateText(description),
    project,
    environment,
    moduleInstance,
    triggerSource,
    pipelineRunId: pipelineRunId ?? undefined,
    triggeredBy: truncateText(data.triggeredBy),
  }
  return (type: keyof typeof statusThen, at: Date, more: Partial<DeploymentNotice> = {}, nth?: number): Event => ({
    id: [id, type, nth].filter((part) => part !== undefined).join('.'),
    recordId: id,
    projectId: project.id,
    environmentId: environment.id,
    payload: payloadOf(type, at, present({ ...facts, status: statusThen[type], ...more })),
  })
}

/** Returns the details of a requested approval. */
const approvalWanted = (row: NotifiableDeployment, digestOf: DigestOf): Partial<DeploymentNotice> =>
  present({ message: truncateText(askedIn(row)), releaseDigest: digestOf(row.release) })

/** Returns the message with which approval rules first requested approval. */
const askedIn = ({ data: { approval, events = [] } }: NotifiableDeployment): string | undefined =>
  events.find(({ stepCode, startedAt }) => stepCode === 'QUEUED' && startedAt === approval?.askedAt)?.message
