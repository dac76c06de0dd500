import {
  type IacChangeReason,
  type IacChangeType,
  iacChangeTypes,
  type PlanCost,
  type PlanReview,
} from '@sluice/contract'
import type { CutList } from '../../gates/policy-subjects.ts'
import type { IacPlanRow, PlanSummary } from '../../pipelines/iac-plans/tables.ts'
import type { IacResourceRow } from '../iac-resources/tables.ts'
import { type Attribute, attributesOf } from './attributes.ts'

/** Cost as numbers, so that expressions can compare them. Exact up to about a trillion. */
type PlanCostSeen = {
  currency: string
  monthlyBefore: number
  monthlyAfter: number
  monthlyDifference: number
  unpricedCount: number
}

/** Data of a plan that policy expressions can read. */
export type PlanPolicyInput = {
  kind: IacPlanRow['kind']
  counts: Record<string, number>
  cost?: PlanCostSeen
  moves?: { address: string; previousAddress: string }[]
  outputs?: { name: string; action: IacChangeType }[] | CutList
  /** Subject of each warning, such as a variable or address. */
  warnings?: string[] | CutList
  changes: {
    address: string
    type: string
    name: string
    provider: string
    action: IacChangeType
    reasons: IacChangeReason[]
    previousAddress?: string
    before?: Attribute[]
    after?: Attribute[]
  }[]
}

/** Maximum number of attributes of a plan that expressions can read; beyond it there are none. */
const maxAttributes = 20_000

export function toPlanPolicyInput(
  { kind, summary, review }: Pick<IacPlanRow, 'kind' | 'summary' | 'review'>,
  resources: readonly IacResourceRow[],
): PlanPolicyInput {
  const changing = resources.filter(({ changeType }) => changeType !== 'NO_OP')
  const changes = changing.map((resource) => ({
    address: resource.address,
    type: resource.resourceType,
    name: resource.resourceName,
    provider: resource.provider,
    action: resource.changeType,
    ...whySeen(resource),
    before: attributesOf(resource.vendorData.before),
    after: attributesOf(resource.vendorData.after),
  }))
  const count = valuesIn(changes)
  const seen = {
    kind,
    counts: countsSeen(summary.changeCounts, resources),
    ...(summary.cost && { cost: costSeen(summary.cost) }),
    ...(review && reviewSeen(review, resources)),
  }
  if (count <= maxAttributes) return { ...seen, changes }
  return { ...seen, changes: changes.map(({ before: _, after: __, ...change }) => change) }
}

/** Returns the lists of a review. Expressions that read an incomplete list fail. */
function reviewSeen(
  { outputChanges, outputChangeCount, warnings, warningCount }: PlanReview,
  resources: readonly IacResourceRow[],
): Pick<PlanPolicyInput, 'moves' | 'outputs' | 'warnings'> {
  const outputs = outputChanges.map(({ name, changeType }) => ({ name, action: changeType }))
  return {
    moves: resources.flatMap(moveSeen),
    outputs: wholeOrCut(outputs, outputChangeCount),
    warnings: wholeOrCut(
      warnings.map(({ summary }) => summary),
      warningCount,
    ),
  }
}

const wholeOrCut = <T>(list: T[], count: number): T[] | CutList => (list.length === count ? list : { cutFrom: count })

/**
 * Returns the counts by change type. `import` counts every import, including those with another action, as older
 * policies expect.
 */
function countsSeen(changeCounts: PlanSummary['changeCounts'], resources: readonly IacResourceRow[]) {
  const counts = iacChangeTypes.map((type) => [type.toLowerCase(), changeCounts[type] ?? 0] as const)
  const imports = resources.filter(isImport).length
  return { ...Object.fromEntries(counts.filter(([type]) => type !== 'no_op')), import: imports }
}

const isImport = ({ changeType, changeReasons }: IacResourceRow): boolean =>
  changeType === 'IMPORT' || (changeReasons?.reasons.includes('IMPORT') ?? false)

function whySeen({ changeReasons }: IacResourceRow) {
  const { reasons, previousAddress } = changeReasons ?? { reasons: [] }
  return { reasons, ...(previousAddress !== undefined && { previousAddress }) }
}

function moveSeen({ address, changeReasons }: IacResourceRow): { address: string; previousAddress: string }[] {
  const { previousAddress } = changeReasons ?? {}
  return previousAddress === undefined ? [] : [{ address, previousAddress }]
}

/** Returns the number of resource values. */
export const valuesIn = (changes: PlanPolicyInput['changes']): number =>
  changes.reduce((sum, { before = [], after = [] }) => sum + before.length + after.length, 0)

const costSeen = ({ currency, unpricedCount, ...cost }: PlanCost): PlanCostSeen => ({
  currency,
  monthlyBefore: Number(cost.monthlyBefore),
  monthlyAfter: Number(cost.monthlyAfter),
  monthlyDifference: Number(cost.monthlyDifference),
  unpricedCount,
})
