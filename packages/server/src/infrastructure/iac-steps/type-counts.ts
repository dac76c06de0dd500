import type { IacChangeType, PlanTypeCount } from '@sluice/contract'
import type { PlannedResource } from '../adapter/plan.ts'

/** So many types are kept with a plan, which lists of plans show. */
const mostTypes = 100

/** What a plan changes by type of resource, the types with the most first. */
export function typeCountsOf(
  resources: readonly Pick<PlannedResource, 'resourceType' | 'changeType'>[],
): PlanTypeCount[] {
  const changing = resources.filter(({ changeType }) => changeType !== 'NO_OP' && changeType !== 'READ')
  const byType = [...Map.groupBy(changing, ({ resourceType }) => resourceType)]
  return byType
    .toSorted(([one, its], [other, theirs]) => theirs.length - its.length || (one < other ? -1 : 1))
    .slice(0, mostTypes)
    .map(([resourceType, own]) => ({ resourceType, changeCounts: counted(own) }))
}

function counted(resources: readonly { changeType: IacChangeType }[]): PlanTypeCount['changeCounts'] {
  const counts: PlanTypeCount['changeCounts'] = {}
  for (const { changeType } of resources) counts[changeType] = (counts[changeType] ?? 0) + 1
  return counts
}
