import type { Logger } from 'pino'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { readTaskCounts } from '../../cloud/adapter/ecs/running.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { DeniedByPolicy, recordDenials } from '../../gates/denials.ts'
import { gateRules } from '../../gates/load.ts'
import { recordWarnings } from '../../gates/warnings.ts'
import { type Author, serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { supersedeDeployment } from '../deployments/execution/supersede.ts'
import { toDeployment } from '../deployments/execution/wake.ts'
import { findDeployment } from '../deployments/store/store.ts'
import { batchesOf } from '../service-health/batches.ts'
import { listTaskServices } from '../service-health/store.ts'
import { blockingGate, hasAuthorPermission } from './gates.ts'
import {
  decidePromotion,
  type Gates,
  type Health,
  healthOf,
  healthySinceAfter,
  messageFor,
  type PromotionDecision,
  soakStart,
} from './machine.ts'
import { areImagesPending } from './observed-images.ts'
import { lockSourceAndTarget, releasePromoted } from './promote.ts'
import {
  type Candidate,
  findCandidate,
  isInOrder,
  leaseDueRule,
  openCandidates,
  promotionRuleStore,
  promotionState,
  queuedByRule,
  rulesAreDue,
  savePromotion,
  scheduleEvaluation,
  skipReplaced,
} from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

/**
 * Dependencies of automatic promotions. `db` has access to the rules of all organizations, to find those that are due;
 * the rest runs in one organization.
 */
export type PromotionParts = {
  db: Db
  ofOrganization: Database['ofOrganization']
  cloud: Cloud
  engine: Engine
  clock: () => Date
  log: Logger
}

/** Interval at which a rule is evaluated, in milliseconds. An unhealthy release is detected with this delay. */
const evaluationIntervalMs = 30_000
/** Maximum number of rules that one round evaluates; the next round follows soon. */
const maxRulesPerRound = 50

/** Periodic task that promotes eligible releases to the next environment. */
export const promotionTask = (parts: PromotionParts): Sweep => ({
  what: 'promotions',
  due: rulesAreDue,
  sweep: () => evaluateDueRules(parts),
})

/** Evaluates the rules that are due, each in one process. Returns their number. */
export async function evaluateDueRules(parts: PromotionParts): Promise<number> {
  const { db, clock, log } = parts
  for (let looked = 0; looked < maxRulesPerRound; looked++) {
    const now = clock()
    const rule = await leaseDueRule(db, now, new Date(now.getTime() + evaluationIntervalMs))
    if (!rule) return looked
    await evaluateRule(parts, rule).catch((err) =>
      log.warn({ err, promotionRuleId: rule.id }, 'a promotion rule could not be evaluated; retrying later'),
    )
  }
  return maxRulesPerRound
}

/**
 * Evaluates all candidates of a rule. Evaluating a candidate twice, in another process or after a crash, promotes it
 * once.
 */
export async function evaluateRule(parts: PromotionParts, rule: PromotionRuleRow): Promise<void> {
  const { organizationId } = rule
  const { clock } = parts
  const db = parts.ofOrganization(organizationId)
  const candidates = await openCandidates(db, rule)
  await skipReplaced(db, rule, candidates)
  const healths = await readHealths(parts, db, organizationId, candidates)
  let soonest = clock().getTime() + evaluationIntervalMs
  for (const candidate of candidates) {
    const health = healths.get(candidate.fromInstanceId) ?? 'HEALTHY'
    const next = await settleCandidate(parts, db, { rule, candidate, health })
    if (next?.do === 'wait' && next.until) soonest = Math.min(soonest, next.until.getTime())
  }
  await scheduleEvaluation(db, rule, new Date(soonest))
}

type Evaluation = { rule: PromotionRuleRow; candidate: Candidate; health: Health }

async function settleCandidate(
  parts: PromotionParts,
  db: Db,
  look: Evaluation,
): Promise<PromotionDecision | undefined> {
  const { clock } = parts
  const { rule, candidate } = look
  const judged = await evaluateCandidate(db, look, clock())
  if (judged.next.do === 'release') return release(parts, db, look)
  const { next, healthySince } = judged
  const message = messageFor(next, judged.gates)
  const status = next.do === 'wait' ? 'WAITING' : 'PASSED_OVER'
  const { kept } = candidate
  const isAsBefore =
    kept?.message === message && kept.healthySince?.getTime() === healthySince?.getTime() && status === 'WAITING'
  if (isAsBefore) return next
  await db.transaction(async (tx) => {
    const saved = await savePromotion(tx, rule, candidate, promotionState(status, healthySince, next, message))
    if (saved && next.blocker === 'WARNING') await noteWarning(tx, rule, candidate)
  })
  return next
}

/** Gates without effect, for candidates that wait for another reason anyway. */
const noGates: Gates = { waitsFor: undefined, canAuthorDeploy: true }

async function evaluateCandidate(db: Db, { rule, candidate, health }: Evaluation, now: Date) {
  const { source, target } = candidate
  const known = { ...rule, isInOrder: await isInOrder(db, rule.organizationId, rule) }
  const healthySince = healthySinceAfter(health, known, source, now)
  const facts = { rule: known, source: { ...source, healthySince }, target, health }
  const ungated = decidePromotion({ ...facts, gates: noGates }, now)
  if (ungated.do !== 'release' && ungated.blocker !== 'WARNING') return { next: ungated, healthySince, gates: noGates }
  const { moduleInstanceId } = candidate
  const waitsFor = await blockingGate(gateRules(db, rule.organizationId), { ...rule, moduleInstanceId }, now)
  const gates = { waitsFor, canAuthorDeploy: await hasAuthorPermission(db, rule) }
  return { next: decidePromotion({ ...facts, gates }, now), healthySince, gates }
}

/**
 * Promotes the release, unless the state under the locks differs. Of several processes one promotes it, and a
 * concurrent rollback comes entirely before or after it.
 */
async function release(parts: PromotionParts, db: Db, look: Evaluation): Promise<PromotionDecision | undefined> {
  const { engine, clock, log } = parts
  const { candidate } = look
  const { organizationId } = look.rule
  try {
    const accept = async (tx: Db) => {
      const rule = await promotionRuleStore.lock(tx, organizationId, look.rule.id)
      const { sourceDeploymentId: deploymentId, fromInstanceId, moduleInstanceId } = candidate
      await lockSourceAndTarget(tx, fromInstanceId, moduleInstanceId)
      const fresh = rule && (await findCandidate(tx, rule, { deploymentId, moduleInstanceId }))
      const source = fresh && (await findDeployment(tx, organizationId, deploymentId))
      if (!rule || !fresh || !source) return []
      const now = clock()
      const { next, healthySince } = await evaluateCandidate(tx, { ...look, rule, candidate: fresh }, now)
      if (next.do !== 'release') return [] // the next evaluation records the reason
      if (await areImagesPending(tx, source, now)) throw new ImagesUnknown(source.completedAt ?? now, now)
      const author = authorBy(rule)
      const triggeredBy = `the promotion rule ${rule.id} of ${rule.writtenBy}`
      const trigger = { author, triggeredBy, triggeredById: null, source: 'PROMOTION' } as const
      const replaced = await queuedByRule(tx, rule.id, moduleInstanceId)
      const row = await releasePromoted(tx, trigger, source, { moduleInstanceId }, clock)
      const state = {
        status: 'RELEASED',
        healthySince,
        blocker: null,
        message: null,
        deploymentId: row.id,
      } as const
      if (!(await savePromotion(tx, rule, fresh, state))) throw new AlreadySettled()
      for (const one of replaced) await supersedeDeployment(tx, author, { row: one, to: row }, now)
      const details = { sourceDeploymentId: deploymentId, moduleInstanceId, deploymentId: row.id }
      await recordChange(tx, author, { action: 'promotion-rules.release', ...resourceOf(rule), details })
      return [row.id, ...replaced.map(({ id }) => id)]
    }
    const ids = await runWithWorkerResults(organizationId, () => db.transaction(accept))
    await notifyEngine(
      { engine, log },
      ids.map((id) => toDeployment(id)),
    )
    return undefined
  } catch (error) {
    if (error instanceof AlreadySettled) return undefined
    if (error instanceof ImagesUnknown) {
      return { do: 'wait', blocker: 'UNKNOWN_HEALTH', until: error.nextCheckAt }
    }
    if (!(error instanceof ApiError)) throw error
    const refused = { blocker: 'DENIED' } as const
    const { kept, source } = candidate
    const since = soakStart(look.rule, source)
    if (kept?.message !== error.message) {
      await savePromotion(db, look.rule, candidate, promotionState('WAITING', since, refused, error.message))
      if (error instanceof DeniedByPolicy) await recordDenials(db, authorBy(look.rule), error)
    }
    return { do: 'wait', ...refused }
  }
}

/**
 * Thrown if the images that the tasks ran are not stored yet, because exactly those must be promoted. They are stored
 * soon after the end of the deployment; the check repeats with growing intervals.
 */
class ImagesUnknown extends Error {
  readonly nextCheckAt: Date

  constructor(completedAt: Date, now: Date) {
    super('the running images are not known yet')
    const afterMs = Math.max(1_000, (now.getTime() - completedAt.getTime()) / 8)
    this.nextCheckAt = new Date(now.getTime() + afterMs)
  }
}

/** Thrown to roll back the transaction because another process has promoted or skipped the candidate. */
class AlreadySettled extends Error {}

const resourceOf = ({ id }: PromotionRuleRow) => ({ resourceType: 'promotion-rule', resourceId: id })

const authorBy = ({ organizationId }: PromotionRuleRow): Author => ({
  ...serviceAuthor(organizationId),
  actorId: 'promotion',
  actorName: 'Promotion',
})

async function noteWarning(tx: Db, rule: PromotionRuleRow, candidate: Candidate): Promise<void> {
  const { sourceDeploymentId, moduleInstanceId } = candidate
  const details = { act: 'RELEASE', sourceDeploymentId, moduleInstanceId }
  await recordWarnings(tx, authorBy(rule), [{ rules: 'promotion-rules', ...resourceOf(rule), details }])
}

/** Reads the health of container services. Other types have none and count as healthy while they are live. */
async function readHealths(
  { cloud, log }: PromotionParts,
  db: Db,
  organizationId: string,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, Health>> {
  const healths = new Map<string, Health>()
  const ids = [...new Set(candidates.map(({ fromInstanceId }) => fromInstanceId))]
  if (ids.length === 0) return healths
  const services = await listTaskServices(db, organizationId, ids)
  for (const { cloudAccountId, region, clusterArn, serviceArns } of batchesOf(services)) {
    const ofBatch = services.filter(
      (one) => one.cloudAccountId === cloudAccountId && serviceArns.includes(one.serviceArn),
    )
    try {
      const account = await findCloudConnection(db, organizationId, cloudAccountId)
      const counts = account && (await readTaskCounts(cloud.clientsFor(account, region).ecs, clusterArn, serviceArns))
      for (const { moduleInstanceId, serviceArn } of ofBatch) {
        const seen = counts?.get(serviceArn)
        // A service that does not exist any more is not healthy.
        const lost = counts ? 'UNHEALTHY' : 'UNKNOWN'
        healths.set(moduleInstanceId, seen ? healthOf(seen) : lost)
      }
    } catch (err) {
      log.info({ err, cloudAccountId }, 'the health of releases is unknown; retrying soon')
      for (const { moduleInstanceId } of ofBatch) healths.set(moduleInstanceId, 'UNKNOWN')
    }
  }
  return healths
}
