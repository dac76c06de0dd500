import type { HoldNotice, PreviewNotice, StackNotice } from '@sluice/contract'
import type { HoldRow } from '../../../gates/tables.ts'
import type { PreviewRow } from '../../../infrastructure/preview-environments/tables.ts'
import type { StackDriftRow } from '../../../infrastructure/stack-drift/tables.ts'
import { present } from '../../../platform/present.ts'
import type { Event } from '../machine.ts'
import { type LinkTo, type Named, payloadOf, truncateText } from './parts.ts'

/** Hold with the names of related records. */
export type NotifiableHold = Pick<
  HoldRow,
  'id' | 'organizationId' | 'createdAt' | 'reason' | 'heldBy' | 'liftedAt' | 'liftedBy' | 'liftReason'
> & { project: Named; environment: Named; moduleInstance: Named | null }

/** Drifted stack with the run that detected it and the names of related records. */
export type NotifiableDrift = Pick<StackDriftRow, 'organizationId' | 'driftedSince' | 'runId'> & {
  stack: Named
  project: Named
  /** Environment of the stack's module instance. */
  environment: Named | null
}

/** Preview environment whose teardown failed, with the names of related records. */
export type NotifiablePreview = Pick<
  PreviewRow,
  'id' | 'organizationId' | 'givenId' | 'number' | 'message' | 'failedTeardowns' | 'teardownFailedAt' | 'retryAt'
> & { project: Named; environment: Named | null }

export function eventsOfHold(row: NotifiableHold, linkTo: LinkTo): Event[] {
  const { id, organizationId, project, environment, moduleInstance, createdAt, liftedAt } = row
  const url = linkTo(moduleInstance ? `instances/${moduleInstance.id}` : 'environments')
  const facts = { organizationId, holdId: id, url, project, environment, moduleInstance: moduleInstance ?? undefined }
  const told = (type: 'hold.placed' | 'hold.lifted', at: Date, who: string | null, why: string | null): Event => {
    const data: HoldNotice = present({
      ...facts,
      triggeredBy: truncateText(who ?? ''),
      message: truncateText(why ?? undefined),
    })
    const place = { projectId: project.id, environmentId: environment.id }
    return { id: `${id}.${type}`, recordId: id, ...place, payload: payloadOf(type, at, data) }
  }
  return [
    told('hold.placed', createdAt, row.heldBy, row.reason),
    ...(liftedAt ? [told('hold.lifted', liftedAt, row.liftedBy, row.liftReason)] : []),
  ]
}

/** Returns the event that a stack has drifted: once, until the drift is gone or an apply happened in between. */
export function eventsOfDrift(row: NotifiableDrift, linkTo: LinkTo): Event[] {
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

/** Returns the event that a teardown failed, once per failure. */
export function eventsOfPreview(row: NotifiablePreview, linkTo: LinkTo): Event[] {
  const { id, organizationId, givenId, number, project, environment, failedTeardowns, teardownFailedAt: at } = row
  if (at === null) return []
  const facts = { organizationId, previewEnvironmentId: id, url: linkTo(`projects/${project.id}`), project, givenId }
  const data: PreviewNotice = present({
    ...facts,
    environment: environment ?? undefined,
    pullRequest: number,
    failedTeardowns,
    retryAt: row.retryAt?.toISOString(),
    error: truncateText(row.message ?? undefined),
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
