import type { IacChangeType, PlanTypeCount } from '@sluice/contract'
import type { PlannedResource } from '../adapter/plan.ts'

/** Maximum number of resource types stored with a plan for lists. */
const maxTypes = 100

/** Counts a plan's changes by resource type, most frequent first. */
export function typeCountsOf(
  resources: readonly Pick<PlannedResource, 'resourceType' | 'changeType'>[],
): PlanTypeCount[] {
  const changing = resources.filter(({ changeType }) => changeType !== 'NO_OP' && changeType !== 'READ')
  const byType = [...Map.groupBy(changing, ({ resourceType }) => resourceType)]
  return byType
    .toSorted(([one, its], [other, theirs]) => theirs.length - its.length || (one < other ? -1 : 1))
    .slice(0, maxTypes)
    .map(([resourceType, own]) => ({ resourceType, changeCounts: counted(own) }))
}

function counted(resources: readonly { changeType: IacChangeType }[]): PlanTypeCount['changeCounts'] {
  const counts: PlanTypeCount['changeCounts'] = {}
  for (const { changeType } of resources) counts[changeType] = (counts[changeType] ?? 0) + 1
  return counts
}
