import {
  type AuditEvent,
  type AuditNotice,
  auditType,
  type CertificateNotice,
  type CloudAccountNotice,
  type DeploymentNotice,
  type FilesNotice,
  type HoldNotice,
  type NotificationPayload,
  type NotificationType,
  type PipelineRunNotice,
  type PreviewNotice,
  type StackNotice,
} from '@sluice/contract'
import type { CertificateRow } from '../../cloud/certificates/tables.ts'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import type { DeploymentRow } from '../../delivery/deployments/tables.ts'
import { endOfFreeze } from '../../delivery/freezes/machine.ts'
import type { HoldRow } from '../../delivery/holds/tables.ts'
import type { AuditEventRow } from '../../identity/audit-events/tables.ts'
import type { PreviewRow } from '../../infrastructure/preview-environments/tables.ts'
import type { StackDriftRow } from '../../infrastructure/stack-drift/tables.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { present } from '../../platform/present.ts'
import { artifactOf } from './artifact.ts'
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
  | 'waitingFor'
  | 'release'
> & {
  project: Named
  environment: Named
  moduleInstance: Named
  /** What was released there before; null where nothing was. */
  before: Pick<DeploymentRow, 'id' | 'release' | 'data'> | null
}

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

/** A hold with the names of what it holds. */
export type ToldHold = Pick<
  HoldRow,
  'id' | 'organizationId' | 'createdAt' | 'reason' | 'heldBy' | 'releasedAt' | 'releasedBy' | 'releaseReason'
> & { project: Named; environment: Named; moduleInstance: Named | null }

/** A stack that has drifted, with the run that found it and the names of what it is part of. */
export type ToldDrift = Pick<StackDriftRow, 'organizationId' | 'driftedSince' | 'runId'> & {
  stack: Named
  project: Named
  /** Of the module instance that it belongs to. */
  environment: Named | null
}

/** A preview environment that could not be torn down, with the names of what it is part of. */
export type ToldPreview = Pick<
  PreviewRow,
  'id' | 'organizationId' | 'givenId' | 'number' | 'message' | 'failedTeardowns' | 'teardownFailedAt' | 'retryAt'
> & { project: Named; environment: Named | null }

/** What the audit log says became of something. */
type Noted = Pick<AuditEventRow, 'organizationId' | 'createdAt' | 'details' | 'before'>

/** A line about the connection of a cloud account, with the account as it is now. */
export type ToldConnection = Noted & { cloudAccount: Pick<CloudAccountRow, 'id' | 'name' | 'status'> }

/** A line about a certificate, with the certificate as it is now. */
export type ToldCertificate = Noted & {
  certificate: Pick<CertificateRow, 'id' | 'names' | 'expiresAt' | 'error'>
  cloudAccount: Named
}

/** A line about a watched repository whose project was changed otherwise, with the project as it is called now. */
export type ToldFilesDrift = Noted & { watchedRepositoryId: string; project: Named }

/** The address of a page of the console, such as `deployments/dep_…`. */
export type LinkTo = (page: string) => string

/** What is released, in short; see `ReleaseDigests`. */
export type DigestOf = (release: DeploymentRow['release']) => string

/** How a deployment ended, by its status. */
const endings = {
  SUCCESS: 'deployment.succeeded',
  ERROR: 'deployment.failed',
  ROLLED_BACK: 'deployment.rolled_back',
  CANCELLED: 'deployment.cancelled',
} as const

const statusThen = {
  'deployment.frozen': 'PENDING',
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
export function eventsOfDeployment(row: ToldDeployment, linkTo: LinkTo, digestOf: DigestOf): Event[] {
  const { error, data } = row
  const told = tellingOf(row, linkTo)
  const { askedAt } = data.approval ?? {}
  const ending = row.status in endings ? endings[row.status as keyof typeof endings] : undefined
  return [
    ...(askedAt ? [told('deployment.approval_wanted', new Date(askedAt), approvalWanted(row, digestOf))] : []),
    ...freezeOn(row).map(({ startedAt, message }) => {
      const at = new Date(startedAt)
      return told('deployment.frozen', at, present({ message: cut(message) }), at.getTime())
    }),
    ...(row.startedAt ? [told('deployment.started', row.startedAt)] : []),
    ...pausesOf(row).map(({ startedAt, message, hookId }, index) =>
      told('deployment.paused', new Date(startedAt), present({ message: cut(message), hookId }), index + 1),
    ),
    ...(ending && row.completedAt
      ? [told(ending, row.completedAt, present({ error: cut(error?.message), ...runningAfter(row) }))]
      : []),
  ]
}

/** What runs once it is over, where that follows from it. */
function runningAfter(row: ToldDeployment): Pick<Partial<DeploymentNotice>, 'artifact' | 'isFirst'> {
  const { status, before, moduleInstance } = row
  if (status === 'SUCCESS') return { artifact: artifactOf(moduleInstance.name, row), isFirst: before === null }
  return status === 'ROLLED_BACK' && before ? { artifact: artifactOf(moduleInstance.name, before) } : {}
}

/** What it says of the freeze that keeps it from starting, while one does. */
const freezeOn = ({ status, waitingFor, data }: ToldDeployment) =>
  status === 'PENDING' && waitingFor === endOfFreeze
    ? (data.events ?? []).filter(({ stepCode }) => stepCode === 'QUEUED').slice(-1)
    : []

/** What is to be told of it before the time to decide is over, while it waits for somebody. */
export function remindersOfDeployment(row: ToldDeployment, linkTo: LinkTo, digestOf: DigestOf): Reminder[] {
  const told = tellingOf(row, linkTo)
  type Asked = { from: string; until: string; more: Partial<DeploymentNotice>; nth?: number }
  const remind = (type: keyof typeof statusThen, { from, until, more, nth }: Asked) => {
    const expiresAt = new Date(until)
    const said = { ...more, expiresAt: expiresAt.toISOString() }
    return { event: told(type, remindsAt(new Date(from), expiresAt), said, nth), expiresAt }
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
    const more = present({ message: cut(pause.message), hookId })
    return [remind('deployment.pause_expires_soon', { from: pause.startedAt, until: expiresAt, more, nth: index + 1 })]
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

/** What somebody is to approve, and in whose words. */
const approvalWanted = (row: ToldDeployment, digestOf: DigestOf): Partial<DeploymentNotice> =>
  present({ message: cut(askedIn(row)), releaseDigest: digestOf(row.release) })

/** What approval rules asked for at first, as the release said it then. */
const askedIn = ({ data: { approval, events = [] } }: ToldDeployment): string | undefined =>
  events.find(({ stepCode, startedAt }) => stepCode === 'QUEUED' && startedAt === approval?.askedAt)?.message

/** The same of a run of a pipeline. */
export function eventsOfRun(row: ToldRun, linkTo: LinkTo): Event[] {
  const told = tellingOfRun(row, linkTo)
  const questions = row.steps.flatMap((step) => {
    if (!step.approval) return []
    const at = new Date(step.approval.requestedAt)
    return [told('pipeline_run.approval_wanted', at, askedBy(step), { id: step.id, nth: at.getTime() })]
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
  return [told('pipeline_run.version_approval_wanted', step.updatedAt, present(more), { id: pipelineVersionId })]
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

/** All that there is to tell of a hold. */
export function eventsOfHold(row: ToldHold, linkTo: LinkTo): Event[] {
  const { id, organizationId, project, environment, moduleInstance, createdAt, releasedAt } = row
  const url = linkTo(moduleInstance ? `instances/${moduleInstance.id}` : 'environments')
  const facts = { organizationId, holdId: id, url, project, environment, moduleInstance: moduleInstance ?? undefined }
  const told = (type: 'hold.began' | 'hold.released', at: Date, who: string | null, why: string | null): Event => {
    const data: HoldNotice = present({ ...facts, triggeredBy: cut(who ?? ''), message: cut(why ?? undefined) })
    const place = { projectId: project.id, environmentId: environment.id }
    return { id: `${id}.${type}`, recordId: id, ...place, payload: payloadOf(type, at, data) }
  }
  return [
    told('hold.began', createdAt, row.heldBy, row.reason),
    ...(releasedAt ? [told('hold.released', releasedAt, row.releasedBy, row.releaseReason)] : []),
  ]
}

/** That a stack has drifted: once, until a look finds nothing any more or an apply comes in between. */
export function eventsOfDrift(row: ToldDrift, linkTo: LinkTo): Event[] {
  const { organizationId, stack, project, environment, driftedSince: at, runId: pipelineRunId } = row
  if (at === null || pipelineRunId === null) return []
  const url = linkTo(`runs/${pipelineRunId}`)
  const facts = { organizationId, url, project, environment: environment ?? undefined, stack, pipelineRunId }
  const data: StackNotice = present(facts)
  return [
    {
      id: `${stack.id}.stack.drifted.${at.getTime()}`,
      recordId: stack.id,
      projectId: project.id,
      environmentId: environment?.id ?? null,
      payload: payloadOf('stack.drifted', at, data),
    },
  ]
}

/** That a project is not as its watched files say any more. */
export function eventsOfFilesDrift(line: ToldFilesDrift, linkTo: LinkTo): Event[] {
  const { organizationId, watchedRepositoryId, project, details, createdAt: at } = line
  const url = linkTo(`projects/${project.id}`)
  const found = { commit: textIn(details, 'commit') ?? '', changeCount: Number(details?.changes ?? 0) }
  const data: FilesNotice = { organizationId, watchedRepositoryId, url, project, ...found }
  return [
    {
      id: `${watchedRepositoryId}.files.drifted.${at.getTime()}`,
      recordId: watchedRepositoryId,
      projectId: project.id,
      environmentId: null,
      payload: payloadOf('files.drifted', at, data),
    },
  ]
}

/** That a preview environment could not be torn down: each time anew. */
export function eventsOfPreview(row: ToldPreview, linkTo: LinkTo): Event[] {
  const { id, organizationId, givenId, number, project, environment, failedTeardowns, teardownFailedAt: at } = row
  if (at === null) return []
  const facts = { organizationId, previewEnvironmentId: id, url: linkTo(`projects/${project.id}`), project, givenId }
  const data: PreviewNotice = present({
    ...{ ...facts, environment: environment ?? undefined, pullRequest: number, failedTeardowns },
    ...{ retryAt: row.retryAt?.toISOString(), error: cut(row.message ?? undefined) },
  })
  return [
    {
      id: `${id}.preview.teardown_failed.${at.getTime()}`,
      recordId: id,
      projectId: project.id,
      environmentId: environment?.id ?? null,
      payload: payloadOf('preview.teardown_failed', at, data),
    },
  ]
}

/** What a line of the audit log tells of the connection of a cloud account. */
export function eventsOfConnection(line: ToldConnection, linkTo: LinkTo): Event[] {
  const { organizationId, details, createdAt: at } = line
  const { id, name, ...now } = line.cloudAccount
  const checked = details?.status as CloudAccountRow['status'] | undefined
  // Whoever connects it reads at once where it stands.
  if (checked === undefined && now.status !== 'CONNECTED') return []
  const status = checked ?? now.status
  const type = status === 'CONNECTED' ? 'cloud_account.connected' : 'cloud_account.disconnected'
  const about = { organizationId, url: linkTo('settings/cloud-accounts'), cloudAccount: { id, name } }
  const data: CloudAccountNotice = present({ ...about, status, error: cut(textIn(details, 'reason')) })
  return [ofOrganization(id, type, at, data)]
}

/** What a line of the audit log tells of a certificate. */
export function eventsOfCertificate(line: ToldCertificate, linkTo: LinkTo): Event[] {
  const { organizationId, details, before, createdAt: at, certificate, cloudAccount } = line
  const { id, names, expiresAt, error } = certificate
  const status = details?.status as CertificateRow['status']
  const isLost = status !== before?.status && (status === 'FAILED' || status === 'EXPIRED')
  const endsSoon = details?.expiresSoon === true && before?.expiresSoon !== true
  if (!isLost && !endsSoon) return []
  const about = { organizationId, certificateId: id, url: linkTo('settings/domains'), cloudAccount, names, status }
  const more = { expiresAt: expiresAt?.toISOString(), error: isLost ? cut(error?.message) : undefined }
  const data: CertificateNotice = present({ ...about, ...more })
  return [ofOrganization(id, isLost ? 'certificate.unusable' : 'certificate.expires_soon', at, data)]
}

/** So long may be what a line holds, as JSON: with what stands beside it, no payload is larger than 64 KiB. Bytes. */
const longestHeld = 32 * 1024

/** A line of the audit log itself. All lines are about one record, the log: they are told in its order. */
export function eventOfAuditLine(line: AuditEvent, linkTo: LinkTo): Event {
  const { organizationId, id } = line
  const { details, before, ...rest } = line
  const isCut = Buffer.byteLength(JSON.stringify([details, before])) > longestHeld
  const data: AuditNotice = present({
    ...{ organizationId, url: linkTo('settings/audit-log') },
    auditEvent: isCut ? rest : line,
    isCut: isCut || undefined,
  })
  return {
    ...{ id: `${id}.${auditType}`, recordId: organizationId, projectId: null, environmentId: null },
    payload: payloadOf(auditType, new Date(line.createdAt), data),
  }
}

/** What happened to what all projects share; it may happen again. */
const ofOrganization = (
  id: string,
  type: NotificationType,
  at: Date,
  data: CloudAccountNotice | CertificateNotice,
): Event => ({
  id: `${id}.${type}.${at.getTime()}`,
  ...{ recordId: id, projectId: null, environmentId: null },
  payload: payloadOf(type, at, data),
})

/** The text of that name in what a column of JSON holds. */
function textIn(held: unknown, name: string): string | undefined {
  if (typeof held !== 'object' || held === null) return undefined
  const text: unknown = Reflect.get(held, name)
  return typeof text === 'string' ? text : undefined
}

const payloadOf = (type: NotificationType, at: Date, data: NotificationPayload['data']): NotificationPayload => ({
  type,
  timestamp: at.toISOString(),
  data,
})

/** So long may be what people wrote: with that, no payload is larger than 64 KiB. Characters. */
const longest = 2_000

function cut(text: string): string
function cut(text: string | undefined): string | undefined
function cut(text: string | undefined): string | undefined {
  return text?.slice(0, longest).toWellFormed()
}
