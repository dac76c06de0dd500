import { type IacChangeType, iacChangeTypes } from '@sluice/contract'
import { longestText } from '../../delivery/policies/types.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { sensitive, unknown } from '../adapter/sensitive.ts'
import type { IacResourceRow } from '../iac-resources/tables.ts'

type Attribute = { path: string; value?: string }

/** What the expressions of policies see of a plan. */
export type PlanSeen = {
  kind: IacPlanRow['kind']
  counts: Record<string, number>
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

export function planSeen({ kind, summary }: IacPlanRow, resources: readonly IacResourceRow[]): PlanSeen {
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
  const count = changes.reduce((sum, { before, after }) => sum + before.length + after.length, 0)
  const seen = { kind, counts: Object.fromEntries(counts.filter(([type]) => type !== 'no_op')) }
  if (count <= mostAttributes) return { ...seen, changes }
  return { ...seen, changes: changes.map(({ before: _, after: __, ...change }) => change) }
}

/**
 * What a resource has, each value as a text under its path, such as `tags.team` or `members.0`. What is sensitive, or
 * known only once it is applied, or very long, has a path and no value: an expression that needs it fails.
 */
export function attributesOf(value: unknown, path: readonly string[] = []): Attribute[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => attributesOf(item, [...path, key]))
  const text = String(value)
  const isHidden = text === sensitive || text === unknown || text.length > longestText
  return [{ path: path.join('.'), ...(!isHidden && { value: text }) }]
}
