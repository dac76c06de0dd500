import { isDeepStrictEqual } from 'node:util'
import type { IacChangeReasons, IacChangeType, IacDriftStatus, PlanOutputChange, PlanWarning } from '@sluice/contract'
import { hideNamedSecrets, isSecretName } from '../../platform/named-secrets.ts'
import { deposedAddress } from '../../stacks/iac-states/state-file.ts'
import type { Change, DeferredChange, PlanFile, ResourceChange, StateModule, StateResource } from './plan-format.ts'
import { actionOf, plannedChange } from './planned-change.ts'
import { masked, secretsUnder, sensitive, stringsIn } from './sensitive.ts'

/** Resource of a plan, with sensitive attributes masked. */
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
  /** Whether the state contains the resource before the apply. */
  isInState: boolean
  isTainted: boolean
  before: unknown
  after: unknown
}

export type ChangeCounts = Partial<Record<IacChangeType, number>>

/** IaC plan after parsing. */
export type ReadPlan = {
  /** Whether an apply would change anything. */
  hasChanges: boolean
  resources: PlannedResource[]
  /** Number of resources by change type. */
  counts: ChangeCounts
  /** Number of resources that differ from the state. */
  driftedCount: number
  /** Changed outputs by name, with sensitive values masked. */
  outputChanges: PlanOutputChange[]
  /** Warnings for approvers that the tool itself does not produce. */
  warnings: PlanWarning[]
  /** Names of declared input variables; names of sensitive ones, by mark or by name, and the texts in their values. */
  variables: { declared: string[]; sensitive: string[]; sensitiveValues: string[] }
  /** Values that the plan marks as sensitive. */
  secrets: string[]
}

/** Parses a plan in the format of `show -json`. `isDrift` marks a plan that only detects drift. */
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
      ...variables.sensitiveValues,
      ...secretsIn(plan),
      ...[...inState.values()].flatMap((one) => secretsUnder(one.values, one.sensitive_values)),
    ],
  }
}

const hasChange = ({ changeType, changeReasons: { previousAddress } }: PlannedResource): boolean =>
  changeType !== 'NO_OP' || previousAddress !== undefined

/** Returns the resource with its planned change. */
const rowOf = (resource: ResourceChange, circumstances: Parameters<typeof plannedChange>[1]) => {
  const { action, why } = plannedChange(resource, circumstances)
  return { ...identityOf(resource), changeType: action, changeReasons: why, ...valuesOf(resource.change) }
}

const deferredRow = ({ reason = 'unknown', resource_change: resource }: DeferredChange) =>
  rowOf(resource, { deferral: reason })

/** Returns resources that drifted but are not in the plan. An apply only updates their state. */
function unplanned(drift: ResourceChange[], changes: ResourceChange[]) {
  const planned = new Set(changes.map(addressOf))
  const others = drift.filter((one) => isRealChange(one) && !planned.has(addressOf(one)))
  return others.map((one) => ({ ...rowOf(one, { isOutside: true }), changeType: 'NO_OP' as const }))
}

/** Returns the changes of outputs, which may be a plan's only changes. */
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

function variablesIn({ configuration, variables = {} }: PlanFile): ReadPlan['variables'] {
  const all = Object.entries(configuration?.root_module?.variables ?? {})
  const sensitive = all.flatMap(([name, { sensitive }]) => (sensitive === true || isSecretName(name) ? [name] : []))
  return {
    declared: all.map(([name]) => name),
    sensitive,
    sensitiveValues: sensitive.flatMap((name) => stringsIn(variables[name]?.value)),
  }
}

type Stand = (address: string) => Pick<PlannedResource, 'isInState' | 'isTainted' | 'driftStatus'>

/** Returns the drifted resources, followed by the unchanged ones. */
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
      isInState: true, // until an apply records the drift
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

/** Reports whether a change is more than a provider's inconsistency between an empty list and null. */
function isRealChange({ address, change }: ResourceChange): boolean {
  const action = actionOf(change, address)
  const isSame = () => isDeepStrictEqual(substance(change.before), substance(change.after))
  return action !== 'NO_OP' && !(action === 'UPDATE' && isSame())
}

/** Returns a value without its empty parts. */
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

/** Returns the values before and after a change, masked by the plan's marks, the provider's schema and names. */
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

function secretsIn(plan: PlanFile): string[] {
  const { resource_changes: changes = [], resource_drift: drift = [], deferred_changes: deferred = [] } = plan
  const resources = [...changes, ...drift, ...deferred.map(({ resource_change: resource }) => resource)]
  const all = [...resources.map(({ change }) => change), ...Object.values(plan.output_changes ?? {})]
  return all.flatMap((change) => [
    ...secretsUnder(change.before, change.before_sensitive),
    ...secretsUnder(change.after, change.after_sensitive),
  ])
}
