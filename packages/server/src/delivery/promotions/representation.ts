import { isDeepStrictEqual } from 'node:util'
import type { DeploymentPromotion, PromotedImage, PromotionCandidate } from '@sluice/contract'
import { enforcedRequirements, loadApprovals } from '../../gates/approvals.ts'
import type { Rules } from '../../gates/gate.ts'
import { gateRules, loadBlockers } from '../../gates/load.ts'
import type { Scope } from '../../gates/scope.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, desc, eq, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { environments } from '../../projects/projects/tables.ts'
import { findTarget, resolveTarget } from '../deployments/create/target.ts'
import { dataOf } from '../deployments/execution/state.ts'
import { imagesOf } from '../deployments/representation/images.ts'
import { type DeploymentRow, deployments } from '../deployments/store/tables.ts'
import { blockingGate, hasAuthorPermission } from './gates.ts'
import { decidePromotion, eligibilityBlocker, messageFor, soakStart } from './machine.ts'
import { imagesThatRan } from './observed-images.ts'
import { type ImagesThatRan, pinPromotedImages, promotedWith } from './promoted-images.ts'
import { findCandidate, findPromotionRuleOf, isInOrder } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

type Place = { id: string; input: Record<string, unknown> }

/** Returns the source of a deployment's release, and where it can be promoted to. */
export async function promotionOf(db: Db, row: DeploymentRow, now: Date): Promise<DeploymentPromotion> {
  const { organizationId, moduleInstanceId } = row
  const places = await laterInstances(db, row)
  const [here] = await db
    .select({ id: moduleInstances.id, input: moduleInstances.input })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, moduleInstanceId)))
  const ran = await imagesThatRan(db, row)
  const promotionCandidates: PromotionCandidate[] = []
  for (const there of places) promotionCandidates.push(await stepTo(db, row, { here, there, ran }, now))
  return { ...promotionSource(row), promotionCandidates }
}

function promotionSource({
  promotedFromDeploymentId,
  release,
  data,
}: DeploymentRow): Omit<DeploymentPromotion, 'promotionCandidates'> {
  if (promotedFromDeploymentId === null) return {}
  const images = imagesOf(release, dataOf(data))
  return present({ fromDeploymentId: promotedFromDeploymentId, images: images && promotedWith(release, images) })
}

/** Returns the instances of the same module and name in the later environments of the project. */
async function laterInstances(db: Db, { organizationId, moduleInstanceId, environmentId }: DeploymentRow) {
  const here = db
    .select({ givenId: moduleInstances.givenId, moduleDefinitionId: moduleInstances.moduleDefinitionId })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, moduleInstanceId)))
    .as('here')
  const rows = await db
    .select({ id: moduleInstances.id, environmentId: environments.id, input: moduleInstances.input })
    .from(environments)
    .innerJoin(here, sql`true`)
    .leftJoin(
      moduleInstances,
      and(
        eq(moduleInstances.environmentId, environments.id),
        eq(moduleInstances.givenId, here.givenId),
        eq(moduleInstances.moduleDefinitionId, here.moduleDefinitionId),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
    .where(
      and(
        eq(environments.organizationId, organizationId),
        sql`${environments.projectId} = (select project_id from environments where id = ${environmentId})`,
      ),
    )
    .orderBy(sql`${environments.position} nulls last`, environments.id)
  const own = rows.findIndex((one) => one.environmentId === environmentId)
  return rows
    .slice(own + 1)
    .flatMap(({ id, environmentId, input }) => (id && input ? [{ id, environmentId, input }] : []))
}

type Step = { here: Place | undefined; there: Place & { environmentId: string }; ran: ImagesThatRan }

async function stepTo(db: Db, row: DeploymentRow, { here, there, ran }: Step, now: Date): Promise<PromotionCandidate> {
  const { organizationId, projectId, environmentId: fromEnvironmentId } = row
  const { environmentId, id: moduleInstanceId } = there
  const rule = await findPromotionRuleOf(db, organizationId, { fromEnvironmentId, environmentId })
  const place = { projectId, environmentId, moduleInstanceId }
  const rules = gateRules(db, organizationId)
  return {
    moduleInstanceId,
    environmentId,
    ...(rule ? await byRule(db, rule, { row, place, rules }, now) : { canPromoteManually: true }),
    ...present({ deploymentId: await promotedDeployment(db, row, moduleInstanceId) }),
    inputs: differences(here?.input ?? {}, there.input),
    images: await imagesAtTarget(db, row, moduleInstanceId, ran),
    gates: await representGates(rules, place, now),
  }
}

/**
 * Returns the images of the release at the target. Returns none if it cannot be resolved, which the promotion itself
 * would report.
 */
async function imagesAtTarget(
  db: Db,
  { organizationId, inputs }: DeploymentRow,
  moduleInstanceId: string,
  ran: ImagesThatRan,
): Promise<PromotedImage[]> {
  const found = await findTarget(db, organizationId, moduleInstanceId)
  if (!found) return []
  const { resolution } = await resolveTarget(db, found, { organizationId }, inputs)
  return resolution.verdict === 'resolved' ? pinPromotedImages(resolution.deployment.release, ran).images : []
}

type Way = { row: DeploymentRow; place: Scope & { moduleInstanceId: string }; rules: Rules }

async function byRule(db: Db, rule: PromotionRuleRow, { row, place, rules }: Way, now: Date) {
  const { id: promotionRuleId, start } = rule
  const { moduleInstanceId } = place
  const candidate = await findCandidate(db, rule, { deploymentId: row.id, moduleInstanceId })
  if (!candidate) return { promotionRuleId, start, canPromoteManually: false }
  const { source, target } = candidate
  const since = soakStart(rule, source)
  const gates = {
    waitsFor: await blockingGate(rules, place, now),
    canAuthorDeploy: await hasAuthorPermission(db, rule),
  }
  const known = { ...rule, isInOrder: await isInOrder(db, rule.organizationId, rule) }
  // Uses the result of the last poll instead of reading the cloud.
  const health = since ? 'HEALTHY' : 'UNHEALTHY'
  const next = decidePromotion({ rule: known, source, target, gates, health }, now)
  const stop = eligibilityBlocker(rule, source, now)
  return {
    promotionRuleId,
    start,
    canPromoteManually: stop === undefined || rule.mode === 'WARN',
    ...present({
      blocker: next.do === 'release' ? undefined : next.blocker,
      message: next.do === 'release' ? undefined : messageFor(next, gates),
      until: next.do === 'release' ? undefined : next.until?.toISOString(),
      healthySince: source.isLive ? since?.toISOString() : undefined,
    }),
  }
}

/** Returns the latest deployment of the instance that promotes this release. */
async function promotedDeployment(db: Db, row: DeploymentRow, moduleInstanceId: string): Promise<string | undefined> {
  const [became] = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, row.organizationId),
        eq(deployments.moduleInstanceId, moduleInstanceId),
        eq(deployments.promotedFromDeploymentId, row.id),
      ),
    )
    .orderBy(desc(deployments.id))
    .limit(1)
  return became?.id
}

function differences(from: Place['input'], to: Place['input']): PromotionCandidate['inputs'] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return names
    .filter((name) => !isDeepStrictEqual(from[name], to[name]))
    .map((name) => ({ name, ...present({ from: from[name], to: to[name] }) }))
}

/** Returns each gate that would block a release there, and each rule that would require approvals. */
async function representGates(rules: Rules, place: Scope, now: Date): Promise<PromotionCandidate['gates']> {
  const subject = { moment: 'START', action: 'RELEASES', scope: place } as const
  const waits = (await loadBlockers(rules, subject, now)).filter(({ decision }) => decision === 'wait')
  const guarded = {
    what: ['DEPLOYMENTS' as const],
    places: [place],
    isRollback: false,
    starter: noStarter,
    authors: [],
  }
  const approvals = await loadApprovals(rules, { guarded, ofPolicies: [], given: async () => [], askedAt: undefined })
  return [
    ...waits.map(({ gate, message, description }) => ({
      kind: gate === 'HOLD' ? gate : ('FREEZE' as const),
      message: description === undefined ? message : `${message}. ${description}`,
    })),
    ...enforcedRequirements(approvals).map(({ rule: { name, requiredApprovals } }) => ({
      kind: 'APPROVAL_RULE' as const,
      message: `The approval rule “${name}” asks for ${requiredApprovals}: the release waits there until they are given.`,
    })),
  ]
}

const noStarter = { id: null, name: undefined }
