import type { DeploymentStatus } from '@sluice/contract'
import { ruleStore } from '../../gates/rule-store.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, asc, eq, inArray, lte, notInArray, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { now as sweptAt } from '../../platform/db/sweeps.ts'
import { newId } from '../../platform/ids.ts'
import { environments } from '../../projects/projects/tables.ts'
import { deployments } from '../deployments/store/tables.ts'
import { type Blocker, messageFor, type PromotionTarget, type Source } from './machine.ts'
import { type PromotionRow, type PromotionRuleRow, promotionRules, promotions } from './tables.ts'

export const promotionRuleStore = ruleStore(promotionRules, 'promotion rule', 'pmr')

/** Stores a rule for a step between two environments. Returns undefined if the step has one already. */
export async function insertPromotionRule(
  tx: Db,
  row: Omit<typeof promotionRules.$inferInsert, 'id'>,
): Promise<PromotionRuleRow | undefined> {
  const [inserted] = await tx
    .insert(promotionRules)
    .values({ id: newId('pmr'), ...row })
    .onConflictDoNothing()
    .returning()
  return inserted
}

/** Returns the rule for the step from one environment to another. */
export async function findPromotionRuleOf(
  db: Db,
  organizationId: string,
  { fromEnvironmentId, environmentId }: Pick<PromotionRuleRow, 'fromEnvironmentId' | 'environmentId'>,
): Promise<PromotionRuleRow | undefined> {
  const isOfStep = and(
    eq(promotionRules.organizationId, organizationId),
    eq(promotionRules.fromEnvironmentId, fromEnvironmentId),
    eq(promotionRules.environmentId, environmentId),
  )
  const [row] = await db.select().from(promotionRules).where(isOfStep)
  return row
}

/** Returns the rules of a project. */
export const promotionRulesIn = (db: Db, organizationId: string, projectId: string): Promise<PromotionRuleRow[]> =>
  db
    .select()
    .from(promotionRules)
    .where(and(eq(promotionRules.organizationId, organizationId), eq(promotionRules.projectId, projectId)))

/** Query that returns a row if a rule is due for evaluation. */
export const rulesAreDue: SQL = sql`select 1 from ${promotionRules} where ${lte(promotionRules.lookAt, sweptAt)}`

/** Returns the rule that is overdue for the longest time, and leases it until `next`. */
export async function leaseDueRule(db: Db, now: Date, next: Date): Promise<PromotionRuleRow | undefined> {
  const due = db
    .select({ id: promotionRules.id })
    .from(promotionRules)
    .where(lte(promotionRules.lookAt, now))
    .orderBy(asc(promotionRules.lookAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [row] = await db.update(promotionRules).set({ lookAt: next }).where(inArray(promotionRules.id, due)).returning()
  return row
}

/** Schedules the next evaluation, unless the rule has been changed since, which schedules its own. */
export async function scheduleEvaluation(db: Db, { id, updatedAt }: PromotionRuleRow, lookAt: Date): Promise<void> {
  const isUnchanged = and(eq(promotionRules.id, id), eq(promotionRules.updatedAt, updatedAt))
  await db.update(promotionRules).set({ lookAt }).where(isUnchanged)
}

/**
 * Reports whether an environment precedes another in the order of the project. Environments without a position are
 * ordered by age.
 */
export async function isInOrder(
  db: Db,
  organizationId: string,
  { fromEnvironmentId, environmentId }: Pick<PromotionRuleRow, 'fromEnvironmentId' | 'environmentId'>,
): Promise<boolean> {
  const rows = await db
    .select({ id: environments.id })
    .from(environments)
    .where(
      and(
        eq(environments.organizationId, organizationId),
        inArray(environments.id, [fromEnvironmentId, environmentId]),
      ),
    )
    .orderBy(sql`${environments.position} nulls last`, asc(environments.id))
  return rows.length === 2 && rows[0]?.id === fromEnvironmentId
}

/** Release that a rule applies to, and an instance that it can be promoted to. */
export type Candidate = {
  sourceDeploymentId: string
  fromInstanceId: string
  moduleInstanceId: string
  source: Source
  target: PromotionTarget
  /** Stored state; absent before the first evaluation. */
  kept: { id: string; healthySince: Date | null; blocker: string | null; message: string | null } | undefined
}

type Pair = { deploymentId: string; moduleInstanceId: string }
type Rule = Pick<PromotionRuleRow, 'id' | 'organizationId' | 'fromEnvironmentId' | 'environmentId'>

/**
 * Returns the running releases of the source environment with the matching instances of the target (same module and
 * name), except promotions that are done or skipped.
 */
export const openCandidates = (db: Db, rule: Rule): Promise<Candidate[]> =>
  readCandidates(db, rule, {
    join: joinRunningRelease(rule),
    where: sql`there.environment_id = ${rule.environmentId} and there.status <> 'DESTROYED'
      and coalesce(kept.status, 'WAITING') = 'WAITING'`,
  })

/** Step between two environments; `id` is that of its rule, or empty if there is none. */
export type RuledStep = Rule

/** Returns the candidates for the given target instances, including those that are done or skipped. */
export const candidatesAt = (db: Db, step: RuledStep, moduleInstanceIds: readonly string[]): Promise<Candidate[]> =>
  readCandidates(db, step, {
    join: joinRunningRelease(step),
    where: sql`there.environment_id = ${step.environmentId} and ${inArray(sql`there.id`, [...moduleInstanceIds])}`,
  })

const joinRunningRelease = ({ fromEnvironmentId }: Rule): SQL =>
  sql`join ${moduleInstances} here on here.organization_id = there.organization_id
      and here.environment_id = ${fromEnvironmentId} and here.given_id = there.given_id
      and here.module_definition_id = there.module_definition_id and here.status <> 'DESTROYED'
    join lateral (
      select one.* from ${deployments} one where ${isOf('one', 'here')} and one.status = 'SUCCESS'
      order by one.completed_at desc limit 1
    ) source on true`

/** Returns the candidate for one release and one instance, including one that is done or skipped. */
export async function findCandidate(
  db: Db,
  rule: Rule,
  { deploymentId, moduleInstanceId }: Pair,
): Promise<Candidate | undefined> {
  const [found] = await readCandidates(db, rule, {
    join: sql`join ${deployments} source on source.organization_id = there.organization_id
      and source.id = ${deploymentId}`,
    where: sql`there.id = ${moduleInstanceId}`,
  })
  return found
}

const isOf = (deployment: string, instance: string): SQL =>
  sql.raw(
    `${deployment}.module_instance_id = ${instance}.id and ${deployment}.organization_id = ${instance}.organization_id`,
  )

type Found = Omit<Source, 'createdAt' | 'completedAt' | 'healthySince' | 'status'> &
  Omit<PromotionTarget, 'liveFrom'> & {
    sourceDeploymentId: string
    fromInstanceId: string
    moduleInstanceId: string
    status: DeploymentStatus
    createdAtMs: number
    completedAtMs: number | null
    liveFromMs: number | null
    keptId: string | null
    isWaiting: boolean
    healthySinceMs: number | null
    blocker: string | null
    message: string | null
  }

async function readCandidates(db: Db, rule: Rule, { join, where }: { join: SQL; where: SQL }): Promise<Candidate[]> {
  const ms = (moment: string) => sql.raw(`(extract(epoch from ${moment}) * 1000)::double precision`)
  const atSource = sql.raw(`one.module_instance_id = source.module_instance_id
    and one.organization_id = source.organization_id`)
  const { rows } = (await db.execute(sql`
    select source.id as "sourceDeploymentId", source.module_instance_id as "fromInstanceId",
      there.id as "moduleInstanceId", source.status,
      ${ms('source.created_at')} as "createdAtMs", ${ms('source.completed_at')} as "completedAtMs",
      source.trigger_source = 'ROLLBACK' as "isRollback", source.trigger_source = 'EXTERNAL' as "isExternal",
      not exists (
        select from ${deployments} one
        where ${atSource} and one.status = 'SUCCESS' and one.completed_at > source.completed_at
      ) as "isLive",
      coalesce((
        select one.status from ${deployments} one
        where ${atSource} and one.status in ('SUCCESS', 'ERROR', 'ROLLED_BACK') order by one.id desc limit 1
      ) = 'ERROR', false) as "hasFailed",
      exists (
        select from ${deployments} one
        where ${atSource} and one.wake_at is not null
          and (one.trigger_source = 'ROLLBACK' or one.status = 'ROLLING_BACK')
      ) as "isRollingBack",
      ${ms('live.asked_at')} as "liveFromMs",
      exists (
        select from ${deployments} one where ${isOf('one', 'there')} and one.promoted_from_deployment_id = source.id
      ) as "wasThere",
      source.inputs <> '{}'::jsonb and exists (
        select from ${deployments} one where ${isOf('one', 'there')} and one.inputs = source.inputs and (
          one.status = 'ROLLED_BACK' or one.status = 'SUCCESS' and one.trigger_source <> 'ROLLBACK' and (
            select later.trigger_source from ${deployments} later
            where ${isOf('later', 'there')} and later.status = 'SUCCESS' and later.completed_at > one.completed_at
            order by later.completed_at limit 1
          ) = 'ROLLBACK'
        )
      ) as "wasRolledBack",
      exists (
        select from ${deployments} one
        where ${isOf('one', 'there')} and one.wake_at is not null
          and not (one.status = 'PENDING' and one.id in (${deploymentsOfRule(rule.id)}))
      ) as "isBusy",
      kept.id as "keptId", coalesce(kept.status = 'WAITING', false) as "isWaiting",
      ${ms('kept.healthy_since')} as "healthySinceMs", kept.obstacle as blocker, kept.message
    from ${moduleInstances} there
    ${join}
    left join lateral (
      select coalesce(origin.created_at, one.created_at) as asked_at
      from ${deployments} one left join ${deployments} origin on origin.id = one.promoted_from_deployment_id
      where ${isOf('one', 'there')} and one.status = 'SUCCESS' order by one.completed_at desc limit 1
    ) live on true
    left join ${promotions} kept on kept.promotion_rule_id = ${rule.id} and kept.source_deployment_id = source.id
      and kept.module_instance_id = there.id
    where there.organization_id = ${rule.organizationId} and ${where}
    order by there.id
  `)) as unknown as { rows: Found[] }
  return rows.map(toCandidate)
}

/** Subquery for the deployments that a rule has started. */
const deploymentsOfRule = (ruleId: string): SQL =>
  sql`select became.deployment_id from ${promotions} became where became.promotion_rule_id = ${ruleId}`

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

function toCandidate(found: Found): Candidate {
  const { sourceDeploymentId, fromInstanceId, moduleInstanceId, keptId, isWaiting, blocker, message } = found
  const { status, isLive, isRollback, isExternal, hasFailed, isRollingBack } = found
  const { wasThere, wasRolledBack, isBusy } = found
  const healthySince = dateOf(found.healthySinceMs)
  return {
    sourceDeploymentId,
    fromInstanceId,
    moduleInstanceId,
    source: {
      status,
      isLive,
      isRollback,
      isExternal,
      hasFailed,
      isRollingBack,
      createdAt: new Date(found.createdAtMs),
      completedAt: dateOf(found.completedAtMs),
      // Health is not observed any more once a promotion is done or skipped.
      healthySince: isWaiting ? healthySince : undefined,
    },
    target: { liveFrom: dateOf(found.liveFromMs) ?? undefined, wasThere, wasRolledBack, isBusy },
    kept: keptId === null ? undefined : { id: keptId, healthySince, blocker, message },
  }
}

/** State of a promotion after an evaluation. */
export type PromotionState = Pick<PromotionRow, 'status' | 'healthySince' | 'blocker' | 'message' | 'deploymentId'>

export const promotionState = (
  status: 'WAITING' | 'PASSED_OVER',
  healthySince: Date | null,
  blocker: Blocker,
  message = messageFor(blocker),
): PromotionState => ({ status, healthySince, blocker: blocker.blocker, message, deploymentId: null })

/** Stores the state of a candidate's promotion. Returns undefined if it is done or skipped already. */
export async function savePromotion(
  tx: Db,
  rule: PromotionRuleRow,
  { sourceDeploymentId, moduleInstanceId }: Pick<Candidate, 'sourceDeploymentId' | 'moduleInstanceId'>,
  state: PromotionState,
): Promise<PromotionRow | undefined> {
  const { id: promotionRuleId, organizationId, projectId, fromEnvironmentId, environmentId } = rule
  const place = { organizationId, projectId, fromEnvironmentId, environmentId }
  const [row] = await tx
    .insert(promotions)
    .values({ id: newId('pmo'), ...place, promotionRuleId, sourceDeploymentId, moduleInstanceId, ...state })
    .onConflictDoUpdate({
      target: [promotions.promotionRuleId, promotions.sourceDeploymentId, promotions.moduleInstanceId],
      set: { ...state, updatedAt: sql`now()` },
      setWhere: eq(promotions.status, 'WAITING'),
    })
    .returning()
  return row
}

/** Skips waiting promotions that are not candidates any more, because another release is running. */
export async function skipReplaced(db: Db, rule: PromotionRuleRow, candidates: readonly Candidate[]): Promise<void> {
  const kept = candidates.flatMap(({ kept }) => (kept ? [kept.id] : []))
  const isReplaced = and(
    eq(promotions.promotionRuleId, rule.id),
    eq(promotions.status, 'WAITING'),
    kept.length === 0 ? undefined : notInArray(promotions.id, kept),
  )
  const { status, blocker, message } = promotionState('PASSED_OVER', null, { blocker: 'REPLACED' })
  await db.update(promotions).set({ status, blocker, message, updatedAt: sql`now()` }).where(isReplaced)
}

/** Returns the queued deployments of an instance that a rule has started. */
export async function queuedByRule(tx: Db, ruleId: string, moduleInstanceId: string) {
  return tx
    .select()
    .from(deployments)
    .where(
      and(
        eq(deployments.moduleInstanceId, moduleInstanceId),
        eq(deployments.status, 'PENDING'),
        sql`${deployments.id} in (${deploymentsOfRule(ruleId)})`,
      ),
    )
}
