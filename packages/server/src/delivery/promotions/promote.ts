import type { PromoteDeployment } from '@sluice/contract'
import { recordWarnings } from '../../gates/warnings.ts'
import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { findModuleInstance } from '../../modules/module-instances/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { acceptDeployment, authorsOf, type Trigger } from '../deployments/create/accept.ts'
import { findDeployment, lockTarget } from '../deployments/store/store.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { type Blocker, eligibilityBlocker, messageFor } from './machine.ts'
import { imagesThatRan } from './observed-images.ts'
import { findCandidate, findPromotionRuleOf } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

type Wish = Omit<PromoteDeployment, 'override'> & {
  /** Reason for which the caller overrides the promotion rule. */
  overridden?: string | undefined
}

/** Accepts a promotion that a user requests, unless a promotion rule blocks it. */
export async function acceptPromotion(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  { overridden, ...wish }: Wish,
  clock: () => Date,
): Promise<DeploymentRow> {
  const { organizationId } = trigger.author
  const rule = await ruleBetween(db, organizationId, source, wish.moduleInstanceId)
  if (!rule) return releasePromoted(db, trigger, source, wish, clock)
  return db.transaction(async (tx) => {
    const stop = await stoppedBy(tx, rule, { source, moduleInstanceId: wish.moduleInstanceId }, clock())
    if (stop && rule.mode === 'ENFORCE' && overridden === undefined) throw notSoaked(rule, source, stop)
    const row = await releasePromoted(tx, trigger, source, wish, clock)
    if (stop) await recordOverride(tx, trigger.author, { rule, row, stop, overridden })
    return row
  })
}

async function ruleBetween(
  db: Db,
  organizationId: string,
  { environmentId: fromEnvironmentId }: DeploymentRow,
  moduleInstanceId: string,
): Promise<PromotionRuleRow | undefined> {
  const to = await findModuleInstance(db, organizationId, moduleInstanceId)
  return to && findPromotionRuleOf(db, organizationId, { fromEnvironmentId, environmentId: to.environmentId })
}

type Pair = { source: DeploymentRow; moduleInstanceId: string }

async function stoppedBy(
  tx: Db,
  rule: PromotionRuleRow,
  { source, moduleInstanceId }: Pair,
  now: Date,
): Promise<Blocker | undefined> {
  await lockSourceAndTarget(tx, source.moduleInstanceId, moduleInstanceId)
  const candidate = await findCandidate(tx, rule, { deploymentId: source.id, moduleInstanceId })
  return candidate && eligibilityBlocker(rule, candidate.source, now)
}

/**
 * Locks the source and target instance, so that a concurrent rollback comes entirely before or after the promotion.
 * Locks in the order of ids, to avoid deadlocks.
 */
export async function lockSourceAndTarget(tx: Db, from: string, to: string): Promise<void> {
  for (const id of [from, to].toSorted()) await lockTarget(tx, id)
}

const notSoaked = (rule: PromotionRuleRow, { id }: DeploymentRow, stop: Blocker): ApiError =>
  new ApiError('notSoaked', `The promotion rule ${rule.id} blocks ${id}. ${messageFor(stop)}`, {
    description:
      `${rule.reason ?? ''} Users with the permission promotion-rules:override, such as admins and owners, can override it with a reason: \`override\`.`.trim(),
    metadata: present({ promotionRuleId: rule.id, blocker: stop.blocker, until: stop.until?.toISOString() }),
  })

type Passed = { rule: PromotionRuleRow; row: DeploymentRow; stop: Blocker; overridden: string | undefined }

/** Records a promotion in spite of a rule, and its reason. */
async function recordOverride(tx: Db, author: Author, { rule, row, stop, overridden }: Passed): Promise<void> {
  const { id: deploymentId, moduleInstanceId, promotedFromDeploymentId: sourceDeploymentId } = row
  const details = { blocker: stop.blocker, deploymentId, moduleInstanceId, sourceDeploymentId }
  const resource = { resourceType: 'promotion-rule', resourceId: rule.id }
  const warning = { rules: 'promotion-rules', ...resource, details }
  if (rule.mode === 'WARN') return recordWarnings(tx, author.organizationId, [warning])
  const override = { action: 'promotion-rules.override', ...resource, details: { reason: overridden, ...details } }
  await recordChange(tx, author, override)
}

/**
 * Accepts a deployment that promotes a release to another instance. Renders it again with the original inputs and the
 * target's configuration; its images are those that ran, if known.
 */
export async function releasePromoted(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  { moduleInstanceId, description = source.description }: Omit<PromoteDeployment, 'override'>,
  clock: () => Date,
): Promise<DeploymentRow> {
  const { organizationId } = trigger.author
  const from = await findModuleInstance(db, organizationId, source.moduleInstanceId)
  const to = await findModuleInstance(db, organizationId, moduleInstanceId)
  if (!to) throw missing('moduleInstanceNotFound', 'module instance', moduleInstanceId)
  if (from?.moduleDefinitionId !== to.moduleDefinitionId) {
    const message = `The module instance ${to.givenId} is of another module than what ${source.id} released to.`
    throw new ApiError('moduleVersionMismatch', message)
  }
  if (await isExternal(db, source)) {
    const message = `What ${source.id} released was begun outside of Sluice, which does not know of what: deploy it by its inputs.`
    throw new ApiError('noStoredRelease', message)
  }
  const { id: promotedFromDeploymentId, inputs } = source
  const ran = await imagesThatRan(db, source)
  const request = { moduleInstanceId, description, inputs, promotedFromDeploymentId, ran }
  return acceptDeployment(db, { ...trigger, ...authorsOf(source) }, request, clock)
}

/** Reports whether a deployment, or the one that it originally repeats, is external and so has no inputs. */
async function isExternal(db: Db, row: DeploymentRow): Promise<boolean> {
  let origin: DeploymentRow | undefined = row
  while (origin && origin.triggerSource !== 'EXTERNAL') {
    const repeated: string | null = origin.redeployOfDeploymentId ?? origin.rollbackToDeploymentId
    if (repeated === null) return false
    origin = await findDeployment(db, row.organizationId, repeated)
  }
  return origin !== undefined
}
