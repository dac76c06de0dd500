import type { ServicePromotionCandidate } from '@sluice/contract'
import type { Rules } from '../../gates/gate.ts'
import { gateRules } from '../../gates/load.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { mayWriter, waitOf } from './gates.ts'
import { forecastOf, type Gates, inWords, noRule, soaksSince, unripe } from './machine.ts'
import { type Candidate, candidatesAt, promotionRulesIn } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

/** Source environment of a promotion, and the target instance. */
export type Way = { fromEnvironmentId: string; environmentId: string; moduleInstanceId: string }

type Project = { organizationId: string; projectId: string }

/** Data of a project that all its promotion candidates share. */
type Known = Project & {
  rules: readonly PromotionRuleRow[]
  gateRules: Rules
  now: Date
}

/** Returns the running release at the source of each step and whether it can be promoted now, by target instance. */
export async function onwardAt(
  db: Db,
  project: Project,
  ways: readonly Way[],
  now: Date,
): Promise<ReadonlyMap<string, ServicePromotionCandidate>> {
  if (ways.length === 0) return new Map()
  const { organizationId, projectId } = project
  const rules = await promotionRulesIn(db, organizationId, projectId)
  const all: Known = { ...project, rules, gateRules: gateRules(db, organizationId), now }
  const found: ServicePromotionCandidate[] = []
  for (const some of Map.groupBy(ways, stepOf).values()) found.push(...(await onwardOver(db, all, some)))
  return new Map(found.map((one) => [one.moduleInstanceId, one]))
}

const stepOf = ({ fromEnvironmentId, environmentId }: Way) => `${fromEnvironmentId} ${environmentId}`

/** Returns the candidates for steps between the same two environments. */
async function onwardOver(db: Db, all: Known, ways: readonly Way[]): Promise<ServicePromotionCandidate[]> {
  const [first] = ways
  if (!first) return []
  const { organizationId, projectId, rules, gateRules, now } = all
  const { fromEnvironmentId, environmentId } = first
  const rule = rules.find((one) => stepOf({ ...first, ...one }) === stepOf(first))
  const writerMay = rule === undefined || rule.start === 'MANUAL' || (await mayWriter(db, rule))
  const step = { id: rule?.id ?? '', organizationId, fromEnvironmentId, environmentId }
  const ids = ways.map(({ moduleInstanceId }) => moduleInstanceId)
  const found: ServicePromotionCandidate[] = []
  for (const candidate of await candidatesAt(db, step, ids)) {
    const { moduleInstanceId } = candidate
    const waitsFor = await waitOf(gateRules, { projectId, environmentId, moduleInstanceId }, now)
    found.push({ fromEnvironmentId, environmentId, ...shown(rule, { candidate, gates: { waitsFor, writerMay } }, now) })
  }
  return found
}

type Seen = { candidate: Candidate; gates: Gates }

function shown(rule: PromotionRuleRow | undefined, { candidate, gates }: Seen, now: Date) {
  const { sourceDeploymentId: deploymentId, moduleInstanceId, source, target } = candidate
  const known = rule ? { ...rule, isInOrder: true } : noRule
  // Uses the result of the last poll instead of reading the cloud.
  const health = soaksSince(known, source) ? 'HEALTHY' : 'UNHEALTHY'
  const next = forecastOf({ rule: known, source, target, gates, health }, now)
  const stop = unripe(known, source, now)
  const { blocker, until } = next.do === 'release' ? {} : next
  return {
    ...{ deploymentId, moduleInstanceId },
    ...present({
      promotionRuleId: rule?.id,
      start: rule?.start,
      blocker,
      message: next.do === 'release' ? undefined : inWords(next, gates),
      until: until?.toISOString(),
    }),
    canPromoteManually: stop === undefined || rule?.mode === 'WARN',
  }
}
