import { type IacChangeType, iacChangeTypes, type PlanCost } from '@sluice/contract'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { IacResourceRow } from '../iac-resources/tables.ts'
import { type Attribute, attributesOf } from './attributes.ts'

/** As numbers, which can be compared; as good as exact up to a trillion. */
type PlanCostSeen = {
  currency: string
  monthlyBefore: number
  monthlyAfter: number
  monthlyDifference: number
  unpricedCount: number
}

/** What the expressions of policies see of a plan. */
export type PlanSeen = {
  kind: IacPlanRow['kind']
  counts: Record<string, number>
  cost?: PlanCostSeen
  changes: {
    address: string
    type: string
    name: string
    provider: string
    action: IacChangeType
    before?: Attribute[]
    after?: Attribute[]
  }[]
}

/** So many attributes of a plan are shown: beyond, none, as it would take long to look at them all. */
const mostAttributes = 20_000

export function planSeen(
  { kind, summary }: Pick<IacPlanRow, 'kind' | 'summary'>,
  resources: readonly IacResourceRow[],
): PlanSeen {
  const counts = iacChangeTypes.map((type) => [type.toLowerCase(), summary.changeCounts[type] ?? 0] as const)
  const changing = resources.filter(({ changeType }) => changeType !== 'NO_OP')
  const changes = changing.map((resource) => ({
    address: resource.address,
    type: resource.resourceType,
    name: resource.resourceName,
    provider: resource.provider,
    action: resource.changeType,
    before: attributesOf(resource.vendorData.before),
    after: attributesOf(resource.vendorData.after),
  }))
  const count = valuesIn(changes)
  const seen = {
    kind,
    counts: Object.fromEntries(counts.filter(([type]) => type !== 'no_op')),
    ...(summary.cost && { cost: costSeen(summary.cost) }),
  }
  if (count <= mostAttributes) return { ...seen, changes }
  return { ...seen, changes: changes.map(({ before: _, after: __, ...change }) => change) }
}

/** How many values of resources are shown. */
export const valuesIn = (changes: PlanSeen['changes']): number =>
  changes.reduce((sum, { before = [], after = [] }) => sum + before.length + after.length, 0)

const costSeen = ({ currency, unpricedCount, ...cost }: PlanCost): PlanCostSeen => ({
  currency,
  monthlyBefore: Number(cost.monthlyBefore),
  monthlyAfter: Number(cost.monthlyAfter),
  monthlyDifference: Number(cost.monthlyDifference),
  unpricedCount,
})
