import type { ServiceOnward } from '@sluice/contract'
import type { Freezes } from '../../gates/freezes/machine.ts'
import { freezesOf } from '../../gates/freezes/store.ts'
import { openHoldsIn } from '../../gates/holds/store.ts'
import type { HoldRow } from '../../gates/holds/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { mayWriter, stopsIn } from './gates.ts'
import { type Gates, inWords, noRule, outlookOf, soaksSince, unripe } from './machine.ts'
import { type Candidate, candidatesAt, promotionRulesIn } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

/** The environment that a release may go on from, and the instance that it may go on to. */
export type Way = { fromEnvironmentId: string; environmentId: string; moduleInstanceId: string }

type Project = { organizationId: string; projectId: string }

/** What is known of a project before any of its releases is looked at. */
type Known = Project & {
  rules: readonly PromotionRuleRow[]
  held: readonly HoldRow[]
  known: Freezes
  now: Date
}

/** What runs at the beginning of each way, and whether it could go on now, by the instances at the ends. */
export async function onwardAt(
  db: Db,
  project: Project,
  ways: readonly Way[],
  now: Date,
): Promise<ReadonlyMap<string, ServiceOnward>> {
  if (ways.length === 0) return new Map()
  const { organizationId, projectId } = project
  const rules = await promotionRulesIn(db, organizationId, projectId)
  const held = await openHoldsIn(db, organizationId, projectId)
  const all: Known = { ...project, rules, held, known: await freezesOf(db, organizationId, now), now }
  const found: ServiceOnward[] = []
  for (const some of Map.groupBy(ways, stepOf).values()) found.push(...(await onwardOver(db, all, some)))
  return new Map(found.map((one) => [one.moduleInstanceId, one]))
}

const stepOf = ({ fromEnvironmentId, environmentId }: Way) => `${fromEnvironmentId} ${environmentId}`

/** The same of ways between the same two environments. */
async function onwardOver(db: Db, all: Known, ways: readonly Way[]): Promise<ServiceOnward[]> {
  const [first] = ways
  if (!first) return []
  const { organizationId, projectId, rules, now } = all
  const { fromEnvironmentId, environmentId } = first
  const rule = rules.find((one) => stepOf({ ...first, ...one }) === stepOf(first))
  const writerMay = rule === undefined || rule.start === 'MANUAL' || (await mayWriter(db, rule))
  const step = { id: rule?.id ?? '', organizationId, fromEnvironmentId, environmentId }
  const ids = ways.map(({ moduleInstanceId }) => moduleInstanceId)
  return (await candidatesAt(db, step, ids)).map((candidate) => {
    const { moduleInstanceId } = candidate
    const { heldBy, frozenBy } = stopsIn(all, { projectId, environmentId, moduleInstanceId }, now)
    const gates = { heldBy, frozenBy: frozenBy?.words, writerMay }
    return { fromEnvironmentId, environmentId, ...shown(rule, { candidate, gates }, now) }
  })
}

type Seen = { candidate: Candidate; gates: Gates }

function shown(rule: PromotionRuleRow | undefined, { candidate, gates }: Seen, now: Date) {
  const { sourceDeploymentId: deploymentId, moduleInstanceId, source, target } = candidate
  const known = rule ? { ...rule, isInOrder: true } : noRule
  // What the last look showed: this one asks no cloud.
  const health = soaksSince(known, source) ? 'HEALTHY' : 'UNHEALTHY'
  const next = outlookOf({ rule: known, source, target, gates, health }, now)
  const stop = unripe(known, source, now)
  const { obstacle, until } = next.do === 'release' ? {} : next
  return {
    ...{ deploymentId, moduleInstanceId },
    ...present({
      promotionRuleId: rule?.id,
      start: rule?.start,
      obstacle,
      message: next.do === 'release' ? undefined : inWords(next, gates),
      until: until?.toISOString(),
    }),
    mayByHand: stop === undefined || rule?.mode === 'WARN',
  }
}
