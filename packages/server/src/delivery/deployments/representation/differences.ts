import { isDeepStrictEqual } from 'node:util'
import {
  type DeploymentDifference,
  type DeploymentDifferences,
  type DeploymentSource,
  differenceKinds,
} from '@sluice/contract'
import { previousRecordOf, releaseRecordOf } from '@sluice/contract/release-record'
import { previousMarksOf, releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { dataOf } from '../execution/state.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { containsSecret } from './secret-values.ts'

type Json = Record<string, unknown>
type Kind = DeploymentDifference['of']

/** Known parts of a release; unknown ones are absent. */
export type ReleaseParts = Partial<Record<Kind, unknown>>

/** What is known about a deployment outside of its row. */
export type DeploymentContext = { source: DeploymentSource; moduleVersion: string | undefined; asRecorded: boolean }

/** Reports whether the deployment has recorded what it released. Before that, only the request is known. */
export const isRecorded = ({ data }: DeploymentRow): boolean => recorded(releaseRecordOf(dataOf(data))) !== undefined

/** Returns the parts of a release: as recorded, or as requested unless both compared deployments have a record. */
export function releaseOf(row: DeploymentRow, { source, moduleVersion, asRecorded }: DeploymentContext): ReleaseParts {
  const data = dataOf(row.data)
  const { image: _, object: __, ...commit } = source
  return known({
    VERSION: versionOf(releaseMarksOf(data)),
    SOURCE: Object.keys(commit).length === 0 ? undefined : commit,
    MODULE_VERSION: moduleVersion,
    DEPLOYMENT_INPUT: row.triggerSource === 'EXTERNAL' ? undefined : row.inputs,
    INSTANCE_INPUT: row.instanceInput ?? undefined,
    RELEASE: asRecorded ? recorded(releaseRecordOf(data)) : requestedDefinition(row),
  })
}

/** Returns what a deployment recorded about the release that it replaced; undefined if it recorded nothing. */
export function replacedBy(row: DeploymentRow): ReleaseParts | undefined {
  const data = dataOf(row.data)
  const release = previousRecordOf(data) ?? recorded(previousMarksOf(data))
  return release && known({ VERSION: versionOf(previousMarksOf(data)), RELEASE: release })
}

/** Returns the definition that a deployment will register, as far as it has the form in which it is recorded later. */
function requestedDefinition({ release }: DeploymentRow): Json | undefined {
  if (release.type === 'cloud:ecs' && 'register' in release.taskDefinition) return release.taskDefinition.register
  return undefined
}

const recorded = (record: Json): Json | undefined =>
  Object.values(record).every((value) => value === undefined) ? undefined : record

const known = (compared: ReleaseParts): ReleaseParts =>
  Object.fromEntries(Object.entries(compared).filter(([, value]) => value !== undefined))

/** Returns the differences between two releases. Skips parts that are known for only one of them. */
export function differencesOf(
  before: ReleaseParts,
  after: ReleaseParts,
): Pick<DeploymentDifferences, 'differences' | 'unknown'> {
  const compared = differenceKinds.filter((kind) => kind !== 'IMAGE')
  const unknown = compared.filter((kind) => kind in before !== kind in after)
  const differences = compared
    .filter((kind) => !unknown.includes(kind))
    .flatMap((kind) => leaves(byName(before[kind]), byName(after[kind]), '').map((leaf) => toDifference(kind, leaf)))
  const place = ({ of }: DeploymentDifference) => differenceKinds.indexOf(of)
  return { unknown, differences: differences.toSorted((a, b) => place(a) - place(b)) }
}

type Leaf = { path: string; before: unknown; after: unknown }

function toDifference(kind: Kind, { path, before, after }: Leaf): DeploymentDifference {
  const of = kind === 'RELEASE' && isImage.test(path) ? 'IMAGE' : kind
  const isSecret = !isReference.test(path) && (containsSecret(path, before) || containsSecret(path, after))
  if (isSecret) return { of, path, isSecret }
  return { of, path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

const isImage = /(^|\.)image(Uri)?$/
/** Matches the paths of references to secrets, by environment variable of a container. */
const isReference = /^containerDefinitions\.[^.]+\.secrets(\.|$)/

/**
 * Returns the innermost paths at which two values differ. A part that only one of them has is also listed by its
 * innermost paths.
 */
function leaves(before: unknown, after: unknown, path: string): Leaf[] {
  if (isDeepStrictEqual(before, after)) return []
  const [left, right] = [before, after].map((value) => (isNothing(value) ? {} : value))
  const areParts = isParts(left) && isParts(right) && (isParts(before) || isParts(after))
  if (!areParts) return [{ path, before, after }]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.flatMap((name) => leaves(left[name], right[name], path === '' ? name : `${path}.${name}`))
}

/** Reports whether a value is empty. An empty list can correspond to an object that `byName` made from a list. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const isParts = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts lists of named items to objects, because the position in such a list is meaningless. An item `{name, value}`
 * becomes its value.
 */
function byName(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => (isParts(item) ? item : {}))
    const names = items.map(({ name }) => name)
    const areNamed = names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')
    if (!areNamed || new Set(names).size < names.length) return value.map(byName)
    return Object.fromEntries(items.map(({ name, ...item }) => [name, byName(itself(item))]))
  }
  if (!isParts(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, byName(inner)]))
}

const itself = (item: Json): unknown => {
  const [only, ...others] = Object.keys(item)
  return others.length === 0 && (only === 'value' || only === 'valueFrom') ? item[only] : item
}
