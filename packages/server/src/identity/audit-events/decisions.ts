import type { Decision, DecisionKind } from '@sluice/contract'
import { and, asc, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { type AuditEventRow, auditEvents } from './tables.ts'

/** Decision by the verb of an event's action. Other verbs are changes, not decisions. */
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

/** Maximum number of decisions to return. A record usually has about ten. */
const maxDecisions = 500

/** Step of a run, whose decisions also concern the run. */
type Step = { id: string; stepName: string }

/** Returns the decisions about a record and its steps, oldest first, as far as the audit log reaches back. */
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
  const rows = await db.select().from(auditEvents).where(isAbout).orderBy(asc(auditEvents.id)).limit(maxDecisions)
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
