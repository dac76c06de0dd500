import type { ServicePromotionCandidate } from '@sluice/contract'
import type { Rules } from '../../gates/gate.ts'
import { gateRules } from '../../gates/load.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { blockingGate, hasAuthorPermission } from './gates.ts'
import { defaultRule, eligibilityBlocker, forecastOf, type Gates, messageFor, soakStart } from './machine.ts'
import { type Candidate, candidatesAt, promotionRulesIn } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

/** Source environment of a promotion, and the target instance. */
export type PromotionStep = { fromEnvironmentId: string; environmentId: string; moduleInstanceId: string }

type Project = { organizationId: string; projectId: string }

/** Data of a project that all its promotion candidates share. */
type Known = Project & {
  rules: readonly PromotionRuleRow[]
  gateRules: Rules
  now: Date
}

/** Returns the running release at the source of each step and whether it can be promoted now, by target instance. */
export async function promotionCandidatesAt(
  db: Db,
  project: Project,
  ways: readonly PromotionStep[],
  now: Date,
): Promise<ReadonlyMap<string, ServicePromotionCandidate>> {
  if (ways.length === 0) return new Map()
  const { organizationId, projectId } = project
  const rules = await promotionRulesIn(db, organizationId, projectId)
  const all: Known = { ...project, rules, gateRules: gateRules(db, organizationId), now }
  const found: ServicePromotionCandidate[] = []
  for (const some of Map.groupBy(ways, stepOf).values()) found.push(...(await candidatesOfStep(db, all, some)))
  return new Map(found.map((one) => [one.moduleInstanceId, one]))
}

const stepOf = ({ fromEnvironmentId, environmentId }: PromotionStep) => `${fromEnvironmentId} ${environmentId}`

/** Returns the candidates for steps between the same two environments. */
async function candidatesOfStep(
  db: Db,
  all: Known,
  ways: readonly PromotionStep[],
): Promise<ServicePromotionCandidate[]> {
  const [first] = ways
  if (!first) return []
  const { organizationId, projectId, rules, gateRules, now } = all
  const { fromEnvironmentId, environmentId } = first
  const rule = rules.find((one) => stepOf({ ...first, ...one }) === stepOf(first))
  const canAuthorDeploy = rule === undefined || rule.start === 'MANUAL' || (await hasAuthorPermission(db, rule))
  const step = { id: rule?.id ?? '', organizationId, fromEnvironmentId, environmentId }
  const ids = ways.map(({ moduleInstanceId }) => moduleInstanceId)
  const found: ServicePromotionCandidate[] = []
  for (const candidate of await candidatesAt(db, step, ids)) {
    const { moduleInstanceId } = candidate
    const waitsFor = await blockingGate(gateRules, { projectId, environmentId, moduleInstanceId }, now)
    found.push({
      fromEnvironmentId,
      environmentId,
      ...serializeCandidate(rule, { candidate, gates: { waitsFor, canAuthorDeploy } }, now),
    })
  }
  return found
}

type Seen = { candidate: Candidate; gates: Gates }

function serializeCandidate(rule: PromotionRuleRow | undefined, { candidate, gates }: Seen, now: Date) {
  const { sourceDeploymentId: deploymentId, moduleInstanceId, source, target } = candidate
  const known = rule ? { ...rule, isInOrder: true } : defaultRule
  // Uses the result of the last poll instead of reading the cloud.
  const health = soakStart(known, source) ? 'HEALTHY' : 'UNHEALTHY'
  const next = forecastOf({ rule: known, source, target, gates, health }, now)
  const stop = eligibilityBlocker(known, source, now)
  const { blocker, until } = next.do === 'release' ? {} : next
  return {
    deploymentId,
    moduleInstanceId,
    ...present({
      promotionRuleId: rule?.id,
      start: rule?.start,
      blocker,
      message: next.do === 'release' ? undefined : messageFor(next, gates),
      until: until?.toISOString(),
    }),
    canPromoteManually: stop === undefined || rule?.mode === 'WARN',
  }
}
