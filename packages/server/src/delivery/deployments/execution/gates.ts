import type { FreezableOperation } from '@sluice/contract'
import { loadApprovals, missingApprovals, representDemands } from '../../../gates/approvals.ts'
import { recordDenials, rejectIfDenied } from '../../../gates/denials.ts'
import type { Blocker, Moment } from '../../../gates/evaluate.ts'
import type { Findings, GateQuestion, PolicyQuestion, Rules } from '../../../gates/gate.ts'
import { evaluateGates, gateRules, loadBlockers } from '../../../gates/load.ts'
import { recordWarnings } from '../../../gates/warnings.ts'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import { approvalQuestionOf, askedAtOf } from '../approvals/required.ts'
import { subjectsOf } from '../representation/policy-subjects.ts'
import { isRollback, type NewDeployment } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { endQueuedDeployment } from './end-waiting.ts'
import { findOtherOwner } from './resource-owner.ts'
import { type DeploymentState, later, type PollPace, pollAfter } from './state.ts'
import { supersedeDeployment } from './supersede.ts'
import { keepQueued } from './wait-for.ts'

const actionOf = (row: NewDeployment): FreezableOperation => (isRollback(row) ? 'ROLLBACKS' : 'RELEASES')

const recordsOf = ({ moduleInstanceId, id: deploymentId }: NewDeployment) => ({ moduleInstanceId, deploymentId })

function policyQuestionOf(tx: Db, row: NewDeployment, now: Date): PolicyQuestion {
  const variables = async () => (await subjectsOf(tx, row.organizationId, [{ row, askedAt: now }]))[0] ?? {}
  return { guards: 'DEPLOYMENTS', isRollback: isRollback(row), before: row.data.policies ?? [], variables }
}

/**
 * Rejects a deployment that gates deny; returns it with the policy decisions. Call it within `answered`, before the
 * deployment is stored.
 */
export async function expectAdmitted(tx: Db, row: NewDeployment, now: Date): Promise<NewDeployment> {
  const subject = { moment: 'REQUEST', action: actionOf(row), scope: row } as const
  const question = { ...subject, policy: policyQuestionOf(tx, row, now) }
  const found = await evaluateGates(gateRules(tx, row.organizationId), question, now)
  rejectIfDenied(found.decision, { moduleInstanceId: row.moduleInstanceId })
  await recordWarnings(tx, row.organizationId, found.warnings, recordsOf(row))
  return found.verdicts?.length ? { ...row, data: { ...row.data, policies: found.verdicts } } : row
}

const evaluateContinue = (tx: Db, row: DeploymentRow, moment: Moment, now: Date) =>
  evaluateGates(gateRules(tx, row.organizationId), { moment, action: 'CONTINUES', scope: row }, now)

/** Rejects to continue a paused deployment that gates deny. */
export async function expectCanContinue(tx: Db, row: DeploymentRow, now: Date): Promise<void> {
  const { decision, warnings } = await evaluateContinue(tx, row, 'CONTINUE', now)
  rejectIfDenied(decision, { moduleInstanceId: row.moduleInstanceId })
  await recordWarnings(tx, row.organizationId, warnings, recordsOf(row))
}

/**
 * Minimum time after the end of a freeze during which a deployment that it kept paused can still be continued, in
 * milliseconds.
 */
const continueGraceMs = 15 * 60_000

/** Returns a deployment that gates keep paused, or undefined if it can continue automatically. */
export async function keepPaused(
  tx: Db,
  row: DeploymentRow,
  { pausedMaxMs }: Pick<PollPace, 'pausedMaxMs'>,
  now: Date,
): Promise<DeploymentState | undefined> {
  const { decision, warnings } = await evaluateContinue(tx, row, 'CONTINUE_AUTOMATICALLY', now)
  await recordWarnings(tx, row.organizationId, warnings, recordsOf(row))
  if (decision.decision !== 'wait') return undefined
  const { until = later(now, pausedMaxMs), waitingFor } = decision
  const latest = later(until, continueGraceMs)
  const deadlineAt = row.deadlineAt && row.deadlineAt < latest ? latest : row.deadlineAt
  return pollAfter<DeploymentState>(
    { ...row, deadlineAt },
    now,
    Math.min(pausedMaxMs, until.getTime() - now.getTime()),
    waitingFor,
  )
}

/** Returns the question that gates answer when a queued deployment is about to start. */
function startQuestionOf(rules: Rules, row: DeploymentRow, now: Date): GateQuestion {
  const asked = (of: DeploymentRow) => approvalQuestionOf(rules.tx, of, askedAtOf(row) ?? now)
  return {
    moment: 'START',
    action: actionOf(row),
    scope: row,
    approval: asked(row),
    policy: {
      ...policyQuestionOf(rules.tx, row, now),
      approvals: (policies) => loadApprovals(rules, asked({ ...row, data: { ...row.data, policies: [...policies] } })),
    },
  }
}

/**
 * Returns everything that would block a deployment that is not stored, first at its request and then at its start, in
 * the order of evaluation. Changes nothing. Call it within `answered`.
 */
export async function newDeploymentBlockers(tx: Db, row: DeploymentRow, now: Date): Promise<Blocker[]> {
  const rules = gateRules(tx, row.organizationId)
  const request = {
    moment: 'REQUEST',
    action: actionOf(row),
    scope: row,
    policy: policyQuestionOf(tx, row, now),
  } as const
  const atRequest = await loadBlockers(rules, request, now)
  const atStart = await loadBlockers(rules, startQuestionOf(rules, row, now), now)
  const isNamed = ({ gate }: Blocker) => atRequest.some((one) => one.gate === gate)
  return [...atRequest, ...atStart.filter((blocker) => !isNamed(blocker))]
}

/** Release gates of an organization, evaluated for a queue. */
export type QueueGates = {
  /**
   * Returns a deployment in the state in which it can start. Returns undefined if it must wait or has ended, and
   * records the reason.
   */
  admit(row: DeploymentRow): Promise<DeploymentRow | undefined>
  /** Has deployments that lack approvals superseded by a newer one that is approved and has started. */
  supersedeUnapproved(started: DeploymentRow): Promise<void>
}

/** Gates of an organization that has none. */
export const noGates: QueueGates = { admit: async (row) => row, supersedeUnapproved: async () => {} }

/** Evaluates the gates of an organization for the queued deployments of an instance. Call it within `answered`. */
export function queueGates(
  tx: Db,
  { organizationId, pending }: { organizationId: string; pending: readonly DeploymentRow[] },
  now: Date,
): QueueGates {
  const rules = gateRules(tx, organizationId)
  const author = serviceAuthor(organizationId)
  const newest = pending.findLast((row) => !isRollback(row))
  const unapproved: DeploymentRow[] = []

  const questionOf = (row: DeploymentRow): GateQuestion => ({
    ...startQuestionOf(rules, row, now),
    hasNewerQueued: newest !== undefined && newest.id !== row.id,
  })

  return {
    async admit(row) {
      const taken = await findOtherOwner(tx, row)
      if (taken) {
        await endQueuedDeployment(tx, row, taken, now)
        return undefined
      }
      const { decision, warnings, ...findings } = await evaluateGates(rules, questionOf(row), now)
      await recordWarnings(tx, organizationId, warnings, recordsOf(row))
      const next = withFindings(row, findings, now)
      switch (decision.decision) {
        case 'proceed':
          return next
        case 'wait':
          await keepQueued(tx, next, decision, now)
          return undefined
        case 'requireApproval': {
          const wayOut = `Who is asked can approve it: POST /deployments/${row.id}/approve.`
          const message = `It waits for approval: ${decision.message}. ${wayOut}`
          const waiting = await keepQueued(tx, next, { message, until: decision.until, waitingFor: 'approval' }, now)
          if (!isRollback(row)) unapproved.push(waiting)
          return undefined
        }
        case 'cancel': {
          const { error, stops = [] } = decision
          await recordDenials(tx, author, { stops, of: recordsOf(row) })
          if (error) await endQueuedDeployment(tx, next, error, now)
          else if (newest) await supersedeDeployment(tx, author, { row, to: newest }, now)
          return undefined
        }
        case 'deny':
          throw new Error(`the deployment ${row.id} is queued, so it cannot be denied`)
      }
    },
    async supersedeUnapproved(started) {
      if (isRollback(started)) return
      for (const row of unapproved) await supersedeDeployment(tx, author, { row, to: started }, now)
    },
  }
}

/** Returns a deployment with the findings of the gates. */
function withFindings(row: DeploymentRow, { approvals, verdicts = [] }: Findings, now: Date): DeploymentRow {
  const isAsked = approvals && (approvals.demands.length > 0 || row.data.approval)
  if (!isAsked && verdicts.length === 0) return row
  const policies = verdicts.length > 0 ? { policies: verdicts } : {}
  if (!isAsked) return { ...row, data: { ...row.data, ...policies } }
  const askedAt = missingApprovals(approvals, now) ? (askedAtOf(row) ?? now) : askedAtOf(row)
  const approval = present({ askedAt: askedAt?.toISOString(), demands: representDemands(approvals) })
  return { ...row, data: { ...row.data, ...policies, approval } }
}
