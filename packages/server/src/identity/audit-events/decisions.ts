import type { Decision, DecisionKind } from '@sluice/contract'
import { and, asc, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { type AuditEventRow, auditEvents } from './tables.ts'

/** What a line says was decided, by the verb of its action. Other verbs are changes, not decisions. */
const kindOfVerb: Readonly<Record<string, DecisionKind>> = {
  create: 'CREATED',
  redeploy: 'CREATED',
  rollback: 'CREATED',
  continue: 'CONTINUED',
  cancel: 'CANCELLED',
  'turn-back': 'ROLLED_BACK',
  supersede: 'SUPERSEDED',
  approve: 'APPROVED',
  reject: 'REJECTED',
  withdraw: 'WITHDRAWN',
  end: 'ENDED',
}

/** A record has some ten; what a program repeats without end is cut off. */
const mostShown = 500

/** A step of a run, whose decisions belong to the run as well. */
type Step = { id: string; stepName: string }

/**
 * Who decided what about a record, and about these steps of it, oldest first: read from the audit log, for as long as
 * that is kept.
 */
export async function decisionsAbout(
  db: Db,
  organizationId: string,
  id: string,
  steps: readonly Step[] = [],
): Promise<Decision[]> {
  const stepNames = new Map(steps.map((step) => [step.id, step.stepName]))
  const isAbout = and(
    eq(auditEvents.organizationId, organizationId),
    inArray(auditEvents.resourceId, [id, ...stepNames.keys()]),
  )
  const rows = await db.select().from(auditEvents).where(isAbout).orderBy(asc(auditEvents.id)).limit(mostShown)
  return rows.flatMap((row) => {
    const kind = kindOf(row)
    return kind ? [toDecision(kind, row, stepNames.get(row.resourceId))] : []
  })
}

function kindOf({ action, details }: AuditEventRow): DecisionKind | undefined {
  const kind = kindOfVerb[action.slice(action.lastIndexOf('.') + 1)]
  return kind === 'CONTINUED' && details?.answer === 'TIMED_OUT' ? 'PAUSE_EXPIRED' : kind
}

function toDecision(kind: DecisionKind, row: AuditEventRow, stepName: string | undefined): Decision {
  const { details } = row
  const told = (...names: string[]): string | undefined =>
    names.map((name) => details?.[name]).find((value) => typeof value === 'string')
  return present({
    kind,
    createdAt: row.createdAt.toISOString(),
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    channel: row.channel,
    reason: told('comment', 'reason'),
    hookId: told('hookId'),
    lifecycleStage: told('lifecycleStage'),
    step: stepName === undefined ? undefined : { id: row.resourceId, name: stepName },
    supersededById: told('supersededByDeploymentId', 'supersededByRunId'),
    auditEventId: row.id,
  })
}
