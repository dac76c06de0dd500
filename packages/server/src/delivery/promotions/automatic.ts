import type { Logger } from 'pino'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { readTaskCounts } from '../../cloud/adapter/ecs/running.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { noteStops, StoppedByPolicy } from '../../gates/denials.ts'
import { gateRules } from '../../gates/load.ts'
import { recordWarnings } from '../../gates/warnings.ts'
import { type Author, theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { answered } from '../../platform/aside/answered.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { tellEngine } from '../../platform/engine/tell.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { supersedeDeployment } from '../deployments/execution/supersede.ts'
import { toDeployment } from '../deployments/execution/wake.ts'
import { findDeployment } from '../deployments/store/store.ts'
import { batchesOf } from '../service-health/batches.ts'
import { listTaskServices } from '../service-health/store.ts'
import { mayWriter, waitOf } from './gates.ts'
import {
  type Gates,
  type Health,
  healthBy,
  healthySinceAfter,
  inWords,
  type Next,
  nextOf,
  soaksSince,
} from './machine.ts'
import { isYetToBeSeen } from './observed-images.ts'
import { lockBoth, releasePromoted } from './promote.ts'
import {
  type Candidate,
  claimDueRule,
  findCandidate,
  isInOrder,
  keepPromotion,
  moveLook,
  openCandidates,
  passOverReplaced,
  promotionRuleStore,
  rulesAreDue,
  standingOf,
  waitingOfRule,
} from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

/**
 * Dependencies of automatic promotions. `db` has access to the rules of all organizations, to find those that are due;
 * the rest runs in one organization.
 */
export type LookParts = {
  db: Db
  ofOrganization: Database['ofOrganization']
  cloud: Cloud
  engine: Engine
  clock: () => Date
  log: Logger
}

/** Interval at which a rule is evaluated, in milliseconds. An unhealthy release is detected with this delay. */
const everyMs = 30_000
/** Maximum number of rules that one round evaluates; the next round follows soon. */
const mostAtOnce = 50

/** Periodic task that promotes eligible releases to the next environment. */
export const promoting = (parts: LookParts): Sweep => ({
  what: 'promotions',
  due: rulesAreDue,
  sweep: () => lookAtDue(parts),
})

/** Evaluates the rules that are due, each in one process. Returns their number. */
export async function lookAtDue(parts: LookParts): Promise<number> {
  const { db, clock, log } = parts
  for (let looked = 0; looked < mostAtOnce; looked++) {
    const now = clock()
    const rule = await claimDueRule(db, now, new Date(now.getTime() + everyMs))
    if (!rule) return looked
    await lookAtRule(parts, rule).catch((err) =>
      log.warn({ err, promotionRuleId: rule.id }, 'a promotion rule could not be looked at; later again'),
    )
  }
  return mostAtOnce
}

/**
 * Evaluates all candidates of a rule. Evaluating a candidate twice, in another process or after a crash, promotes it
 * once.
 */
export async function lookAtRule(parts: LookParts, rule: PromotionRuleRow): Promise<void> {
  const { organizationId } = rule
  const { clock } = parts
  const db = parts.ofOrganization(organizationId)
  const candidates = await openCandidates(db, rule)
  await passOverReplaced(db, rule, candidates)
  const healths = await readHealths(parts, db, organizationId, candidates)
  let soonest = clock().getTime() + everyMs
  for (const candidate of candidates) {
    const health = healths.get(candidate.fromInstanceId) ?? 'HEALTHY'
    const next = await settle(parts, db, { rule, candidate, health })
    if (next?.do === 'wait' && next.until) soonest = Math.min(soonest, next.until.getTime())
  }
  await moveLook(db, rule, new Date(soonest))
}

type Look = { rule: PromotionRuleRow; candidate: Candidate; health: Health }

async function settle(parts: LookParts, db: Db, look: Look): Promise<Next | undefined> {
  const { clock } = parts
  const { rule, candidate } = look
  const judged = await judge(db, look, clock())
  if (judged.next.do === 'release') return release(parts, db, look)
  const { next, healthySince } = judged
  const message = inWords(next, judged.gates)
  const status = next.do === 'wait' ? 'WAITING' : 'PASSED_OVER'
  const { kept } = candidate
  const isAsBefore =
    kept?.message === message && kept.healthySince?.getTime() === healthySince?.getTime() && status === 'WAITING'
  if (isAsBefore) return next
  await db.transaction(async (tx) => {
    const saved = await keepPromotion(tx, rule, candidate, standingOf(status, healthySince, next, message))
    if (saved && next.blocker === 'WARNING') await noteWarning(tx, rule, candidate)
  })
  return next
}

/** Gates without effect, for candidates that wait for another reason anyway. */
const noGates: Gates = { waitsFor: undefined, writerMay: true }

async function judge(db: Db, { rule, candidate, health }: Look, now: Date) {
  const { source, target } = candidate
  const known = { ...rule, isInOrder: await isInOrder(db, rule.organizationId, rule) }
  const healthySince = healthySinceAfter(health, known, source, now)
  const facts = { rule: known, source: { ...source, healthySince }, target, health }
  const ungated = nextOf({ ...facts, gates: noGates }, now)
  if (ungated.do !== 'release' && ungated.blocker !== 'WARNING') return { next: ungated, healthySince, gates: noGates }
  const { moduleInstanceId } = candidate
  const waitsFor = await waitOf(gateRules(db, rule.organizationId), { ...rule, moduleInstanceId }, now)
  const gates = { waitsFor, writerMay: await mayWriter(db, rule) }
  return { next: nextOf({ ...facts, gates }, now), healthySince, gates }
}

/**
 * Promotes the release, unless the state under the locks differs. Of several processes one promotes it, and a
 * concurrent rollback comes entirely before or after it.
 */
async function release(parts: LookParts, db: Db, look: Look): Promise<Next | undefined> {
  const { engine, clock, log } = parts
  const { candidate } = look
  const { organizationId } = look.rule
  try {
    const accept = async (tx: Db) => {
      const rule = await promotionRuleStore.lock(tx, organizationId, look.rule.id)
      const { sourceDeploymentId: deploymentId, fromInstanceId, moduleInstanceId } = candidate
      await lockBoth(tx, fromInstanceId, moduleInstanceId)
      const fresh = rule && (await findCandidate(tx, rule, { deploymentId, moduleInstanceId }))
      const source = fresh && (await findDeployment(tx, organizationId, deploymentId))
      if (!rule || !fresh || !source) return []
      const now = clock()
      const { next, healthySince } = await judge(tx, { ...look, rule, candidate: fresh }, now)
      if (next.do !== 'release') return [] // the next evaluation records the reason
      if (await isYetToBeSeen(tx, source, now)) throw new NotSeenYet(source.completedAt ?? now, now)
      const author = authorBy(rule)
      const triggeredBy = `the promotion rule ${rule.id} of ${rule.writtenBy}`
      const trigger = { author, triggeredBy, triggeredById: null, source: 'PROMOTION' } as const
      const replaced = await waitingOfRule(tx, rule.id, moduleInstanceId)
      const row = await releasePromoted(tx, trigger, source, { moduleInstanceId }, clock)
      const standing = {
        status: 'RELEASED',
        healthySince,
        blocker: null,
        message: null,
        deploymentId: row.id,
      } as const
      if (!(await keepPromotion(tx, rule, fresh, standing))) throw new Settled()
      for (const one of replaced) await supersedeDeployment(tx, author, { row: one, to: row }, now)
      const details = { sourceDeploymentId: deploymentId, moduleInstanceId, deploymentId: row.id }
      await recordChange(tx, author, { action: 'promotion-rules.release', ...resourceOf(rule), details })
      return [row.id, ...replaced.map(({ id }) => id)]
    }
    const ids = await answered(organizationId, () => db.transaction(accept))
    await tellEngine(
      { engine, log },
      ids.map((id) => toDeployment(id)),
    )
    return undefined
  } catch (error) {
    if (error instanceof Settled) return undefined
    if (error instanceof NotSeenYet) {
      return { do: 'wait', blocker: 'UNKNOWN_HEALTH', until: error.nextCheckAt }
    }
    if (!(error instanceof Refusal)) throw error
    const refused = { blocker: 'DENIED' } as const
    const { kept, source } = candidate
    const since = soaksSince(look.rule, source)
    if (kept?.message !== error.message) {
      await keepPromotion(db, look.rule, candidate, standingOf('WAITING', since, refused, error.message))
      if (error instanceof StoppedByPolicy) await noteStops(db, authorBy(look.rule), error)
    }
    return { do: 'wait', ...refused }
  }
}

/**
 * Thrown if the images that the tasks ran are not stored yet, because exactly those must be promoted. They are stored
 * soon after the end of the deployment; the check repeats with growing intervals.
 */
class NotSeenYet extends Error {
  readonly nextCheckAt: Date

  constructor(completedAt: Date, now: Date) {
    super('which images ran has not been looked at yet')
    const afterMs = Math.max(1_000, (now.getTime() - completedAt.getTime()) / 8)
    this.nextCheckAt = new Date(now.getTime() + afterMs)
  }
}

/** Thrown to roll back the transaction because another process has promoted or skipped the candidate. */
class Settled extends Error {}

const resourceOf = ({ id }: PromotionRuleRow) => ({ resourceType: 'promotion-rule', resourceId: id })

const authorBy = ({ organizationId }: PromotionRuleRow): Author => ({
  ...theService(organizationId),
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
  { cloud, log }: LookParts,
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
        healths.set(moduleInstanceId, seen ? healthBy(seen) : lost)
      }
    } catch (err) {
      log.info({ err, cloudAccountId }, 'it could not be told whether releases are healthy; soon again')
      for (const { moduleInstanceId } of ofBatch) healths.set(moduleInstanceId, 'UNKNOWN')
    }
  }
  return healths
}
