import { isDeepStrictEqual } from 'node:util'
import type { IacChangeType, IacDriftStatus } from '@sluice/contract'
import { deposedAddress } from '../../stacks/iac-states/state-file.ts'
import { leavesOf, masked, secretsUnder } from './sensitive.ts'

/** What a plan says of one resource; sensitive attributes are masked. */
export type PlannedResource = {
  address: string
  moduleAddress: string | undefined
  indexKey: string | undefined
  provider: string
  resourceName: string
  resourceType: string
  changeType: IacChangeType
  driftStatus: IacDriftStatus
  /** Whether the state has it, before anything is applied. */
  isInState: boolean
  isTainted: boolean
  before: unknown
  after: unknown
}

export type ChangeCounts = Partial<Record<IacChangeType, number>>

/** A plan, read. */
export type ReadPlan = {
  /** Whether applying it would do anything. */
  hasChanges: boolean
  resources: PlannedResource[]
  /** How many resources have each change type. */
  counts: ChangeCounts
  /** How many differ from what the state says. */
  driftedCount: number
  /** Texts that the plan marks as sensitive somewhere. */
  secrets: string[]
}

// The part of the format that is read here (its version 1, of Terraform and OpenTofu alike).
type Change = {
  actions: string[]
  before?: unknown
  after?: unknown
  after_unknown?: unknown
  before_sensitive?: unknown
  after_sensitive?: unknown
  importing?: unknown
}
type ResourceChange = {
  address: string
  module_address?: string
  type: string
  name: string
  index?: string | number
  provider_name: string
  deposed?: string
  change: Change
}
type StateResource = Omit<ResourceChange, 'change' | 'deposed' | 'module_address'> & {
  deposed_key?: string
  tainted?: boolean
  values?: unknown
  sensitive_values?: unknown
}
type StateModule = { address?: string; resources?: StateResource[]; child_modules?: StateModule[] }
export type PlanFile = {
  applyable?: boolean
  variables?: Record<string, { value?: unknown }>
  configuration?: { root_module?: { variables?: Record<string, { sensitive?: boolean }> } }
  prior_state?: { values?: { root_module?: StateModule } }
  resource_changes?: ResourceChange[]
  resource_drift?: ResourceChange[]
  output_changes?: Record<string, Change>
}

/** Reads a plan as `show -json` writes it. With `isDrift` it is one that only looks for what was changed outside. */
export function readPlan(plan: PlanFile, { isDrift = false } = {}): ReadPlan {
  const { resource_changes: changes = [], resource_drift: drift = [], output_changes: outputs = {} } = plan
  const inState = new Map(resourcesIn(plan.prior_state?.values?.root_module).map((one) => [one.address, one]))
  const drifted = new Set(drift.filter(isRealChange).map(addressOf))
  const stand = (address: string) => ({
    isInState: inState.has(address),
    isTainted: inState.get(address)?.tainted ?? false,
    driftStatus: driftOf(inState.has(address), drifted.has(address)),
  })
  const resources = isDrift
    ? driftRows(drift, inState, stand)
    : changes.map((change) => ({ ...identityOf(change), ...changeOf(change), ...stand(addressOf(change)) }))
  const counts: ChangeCounts = {}
  for (const { changeType } of resources) counts[changeType] = (counts[changeType] ?? 0) + 1
  const outputsChange = Object.values(outputs).some(({ actions }) => typeOf(actions) !== 'NO_OP')
  return {
    hasChanges: plan.applyable ?? (outputsChange || resources.some(({ changeType }) => changeType !== 'NO_OP')),
    resources,
    counts,
    driftedCount: drifted.size,
    secrets: [
      ...secretsIn(plan),
      ...[...inState.values()].flatMap((one) => secretsUnder(one.values, one.sensitive_values)),
    ],
  }
}

type Stand = (address: string) => Pick<PlannedResource, 'isInState' | 'isTainted' | 'driftStatus'>

/** What was changed outside, and beside it everything that is as it was left. */
function driftRows(
  drift: ResourceChange[],
  inState: Map<string, StateResource & { module_address?: string }>,
  stand: Stand,
) {
  const changed = drift.filter(isRealChange)
  const changedAddresses = new Set(changed.map(addressOf))
  const unchanged = [...inState.values()].filter(({ address }) => !changedAddresses.has(address))
  return [
    ...changed.map((change) => ({
      ...identityOf(change),
      ...changeOf(change),
      ...stand(addressOf(change)),
      isInState: true, // until an apply takes note of what was found
      driftStatus: 'DRIFTED' as const,
    })),
    ...unchanged.map((one) => {
      const shown = masked(one.values, one.sensitive_values)
      return { ...identityOf(one), ...stand(one.address), changeType: 'NO_OP' as const, before: shown, after: shown }
    }),
  ]
}

const addressOf = ({ address, deposed }: ResourceChange): string => deposedAddress(address, deposed)

/**
 * Providers read nothing back as an empty list where null was written, and the other way round: nobody has changed
 * that.
 */
const isRealChange = ({ change: { actions, before, after } }: ResourceChange): boolean =>
  typeOf(actions) !== 'NO_OP' &&
  !(typeOf(actions) === 'UPDATE' && isDeepStrictEqual(substance(before), substance(after)))

/** A value without the parts that have nothing in them. */
function substance(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(substance)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const parts = Object.entries(value).map(([key, part]) => [key, substance(part)] as const)
  const present = parts.filter(([, part]) => part !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

function driftOf(isInState: boolean, hasDrifted: boolean): IacDriftStatus {
  if (hasDrifted) return 'DRIFTED'
  return isInState ? 'IN_SYNC' : 'UNKNOWN'
}

type Identified = Pick<
  ResourceChange,
  'address' | 'module_address' | 'type' | 'name' | 'index' | 'provider_name' | 'deposed'
>

const identityOf = (resource: Identified) => ({
  address: deposedAddress(resource.address, resource.deposed),
  moduleAddress: resource.module_address,
  indexKey: resource.index === undefined ? undefined : String(resource.index),
  provider: resource.provider_name,
  resourceName: resource.name,
  resourceType: resource.type,
})

const changeOf = ({ change }: ResourceChange) => ({
  changeType: change.importing === undefined ? typeOf(change.actions) : ('IMPORT' as const),
  before: masked(change.before ?? null, change.before_sensitive),
  after: masked(change.after ?? null, change.after_sensitive, change.after_unknown),
})

/** One action, or the two of a replacement in their order: delete first, or create first. */
function typeOf(actions: string[]): IacChangeType {
  if (actions.length > 1) return 'REPLACE'
  const [action = 'no-op'] = actions
  return types[action] ?? 'NO_OP'
}

const types: Record<string, IacChangeType> = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
  read: 'READ',
  forget: 'FORGET',
}

function resourcesIn(module: StateModule | undefined): (StateResource & { module_address?: string })[] {
  if (!module) return []
  const { address, resources = [], child_modules: children = [] } = module
  const own = resources.map((resource) => ({
    ...resource,
    address: deposedAddress(resource.address, resource.deposed_key),
    ...(address !== undefined && { module_address: address }),
  }))
  return [...own, ...children.flatMap(resourcesIn)]
}

function secretsIn({
  variables = {},
  configuration,
  resource_changes: changes = [],
  resource_drift: drift = [],
  output_changes,
}: PlanFile) {
  const declared = configuration?.root_module?.variables ?? {}
  const values = Object.entries(variables).flatMap(([name, { value }]) =>
    declared[name]?.sensitive === true ? leavesOf(value) : [],
  )
  const all = [...changes, ...drift].map(({ change }) => change)
  const marked = [...all, ...Object.values(output_changes ?? {})].flatMap((change) => [
    ...secretsUnder(change.before, change.before_sensitive),
    ...secretsUnder(change.after, change.after_sensitive),
  ])
  return [...values, ...marked]
}
