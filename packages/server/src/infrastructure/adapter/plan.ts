import { isDeepStrictEqual } from 'node:util'
import type { IacChangeReasons, IacChangeType, IacDriftStatus, PlanOutputChange, PlanWarning } from '@sluice/contract'
import { hideNamedSecrets, isSecretName } from '../../platform/named-secrets.ts'
import { deposedAddress } from '../../stacks/iac-states/state-file.ts'
import type { Change, DeferredChange, PlanFile, ResourceChange, StateModule, StateResource } from './plan-format.ts'
import { actionOf, plannedChange } from './planned-change.ts'
import { leavesOf, masked, secretsUnder, sensitive } from './sensitive.ts'

/** What a plan says of one resource; sensitive attributes are masked. */
export type PlannedResource = {
  address: string
  moduleAddress: string | undefined
  indexKey: string | undefined
  provider: string
  resourceName: string
  resourceType: string
  changeType: IacChangeType
  changeReasons: IacChangeReasons
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
  /** The outputs that change, by name; sensitive values are masked. */
  outputChanges: PlanOutputChange[]
  /** What approvers must know and the tool does not warn of. */
  warnings: PlanWarning[]
  /** The names of the input variables that are declared, and of those that are sensitive by mark or by name. */
  variables: { declared: string[]; sensitive: string[] }
  /** Texts that the plan marks as sensitive somewhere. */
  secrets: string[]
}

/** Reads a plan as `show -json` writes it. With `isDrift` it is one that only looks for what was changed outside. */
export function readPlan(plan: PlanFile, { isDrift = false } = {}): ReadPlan {
  const { resource_changes: changes = [], resource_drift: drift = [], deferred_changes: deferred = [] } = plan
  const inState = new Map(resourcesIn(plan.prior_state?.values?.root_module).map((one) => [one.address, one]))
  const drifted = new Set(drift.filter(isRealChange).map(addressOf))
  const stand = (address: string) => ({
    isInState: inState.has(address),
    isTainted: inState.get(address)?.tainted ?? false,
    driftStatus: driftOf(inState.has(address), drifted.has(address)),
  })
  const planned = () => [
    ...changes.map((one) => rowOf(one, { isOutside: drifted.has(addressOf(one)) })),
    ...unplanned(drift, changes),
    ...deferred.map(deferredRow),
  ]
  const resources = isDrift
    ? driftRows(drift, inState, stand)
    : planned().map((row) => ({ ...row, ...stand(row.address) }))
  const counts: ChangeCounts = {}
  for (const { changeType } of resources) counts[changeType] = (counts[changeType] ?? 0) + 1
  const outputChanges = outputChangesIn(plan)
  const variables = variablesIn(plan)
  return {
    hasChanges: plan.applyable ?? (outputChanges.length > 0 || drifted.size > 0 || resources.some(hasChange)),
    resources,
    counts,
    driftedCount: drifted.size,
    outputChanges,
    warnings: warningsIn(plan),
    variables,
    secrets: [
      ...secretsIn(plan, variables.sensitive),
      ...[...inState.values()].flatMap((one) => secretsUnder(one.values, one.sensitive_values)),
    ],
  }
}

const hasChange = ({ changeType, changeReasons: { previousAddress } }: PlannedResource): boolean =>
  changeType !== 'NO_OP' || previousAddress !== undefined

/** A resource with what is planned for it. */
const rowOf = (resource: ResourceChange, circumstances: Parameters<typeof plannedChange>[1]) => {
  const { action, why } = plannedChange(resource, circumstances)
  return { ...identityOf(resource), changeType: action, changeReasons: why, ...valuesOf(resource.change) }
}

const deferredRow = ({ reason = 'unknown', resource_change: resource }: DeferredChange) =>
  rowOf(resource, { deferral: reason })

/** The resources that were changed outside and that the plan does not name: an apply only takes note of the change. */
function unplanned(drift: ResourceChange[], changes: ResourceChange[]) {
  const planned = new Set(changes.map(addressOf))
  const others = drift.filter((one) => isRealChange(one) && !planned.has(addressOf(one)))
  return others.map((one) => ({ ...rowOf(one, { isOutside: true }), changeType: 'NO_OP' as const }))
}

/** The changes of outputs; they may be all that a plan changes. */
const outputChangesIn = ({ output_changes: outputs = {} }: PlanFile): PlanOutputChange[] =>
  Object.entries(outputs)
    .map(([name, change]) => ({ name, changeType: actionOf(change, `the output ${name}`), change }))
    .filter(({ changeType }) => changeType !== 'NO_OP')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, changeType, change }) => ({ name, changeType, ...presentIn(valuesOf(change, name)) }))

const presentIn = ({ before, after }: { before: unknown; after: unknown }) => ({
  ...(before !== null && { before }),
  ...(after !== null && { after }),
})

function warningsIn({ action_invocations: invocations = [] }: PlanFile): PlanWarning[] {
  if (invocations.length === 0) return []
  const detail = `An apply also invokes ${invocations.map(({ address }) => address).join(', ')}.`
  return [{ summary: 'The plan invokes actions of providers', detail }]
}

function variablesIn({ configuration }: PlanFile): ReadPlan['variables'] {
  const all = Object.entries(configuration?.root_module?.variables ?? {})
  return {
    declared: all.map(([name]) => name),
    sensitive: all.flatMap(([name, { sensitive }]) => (sensitive === true || isSecretName(name) ? [name] : [])),
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
  const whyOf = new Map(drift.map((one) => [addressOf(one), plannedChange(one).why]))
  const unchanged = [...inState.values()].filter(({ address }) => !changedAddresses.has(address))
  return [
    ...changed.map((change) => ({
      ...rowOf(change, { isOutside: true }),
      ...stand(addressOf(change)),
      isInState: true, // until an apply takes note of what was found
      driftStatus: 'DRIFTED' as const,
    })),
    ...unchanged.map((one) => {
      const shown = hideNamedSecrets(masked(one.values, one.sensitive_values), sensitive)
      const changeReasons = whyOf.get(one.address) ?? { reasons: [] }
      const values = { before: shown, after: shown }
      return { ...identityOf(one), ...stand(one.address), changeType: 'NO_OP' as const, changeReasons, ...values }
    }),
  ]
}

const addressOf = ({ address, deposed }: ResourceChange): string => deposedAddress(address, deposed)

/**
 * Providers read nothing back as an empty list where null was written, and the other way round: nobody has changed
 * that.
 */
function isRealChange({ address, change }: ResourceChange): boolean {
  const action = actionOf(change, address)
  const isSame = () => isDeepStrictEqual(substance(change.before), substance(change.after))
  return action !== 'NO_OP' && !(action === 'UPDATE' && isSame())
}

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

/** The values before and after a change, without what its marks, the provider's schema or names call secret. */
const valuesOf = (change: Change, name = '') => ({
  before: hideNamedSecrets(masked(change.before ?? null, change.before_sensitive), sensitive, name),
  after: hideNamedSecrets(masked(change.after ?? null, change.after_sensitive, change.after_unknown), sensitive, name),
})

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

function secretsIn(plan: PlanFile, sensitiveVariables: readonly string[]): string[] {
  const { resource_changes: changes = [], resource_drift: drift = [], deferred_changes: deferred = [] } = plan
  const values = sensitiveVariables.flatMap((name) => leavesOf(plan.variables?.[name]?.value))
  const resources = [...changes, ...drift, ...deferred.map(({ resource_change: resource }) => resource)]
  const all = [...resources.map(({ change }) => change), ...Object.values(plan.output_changes ?? {})]
  const marked = all.flatMap((change) => [
    ...secretsUnder(change.before, change.before_sensitive),
    ...secretsUnder(change.after, change.after_sensitive),
  ])
  return [...values, ...marked]
}
