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
import { holdsSecret } from './secret-values.ts'

type Json = Record<string, unknown>
type Kind = DeploymentDifference['of']

/** What is known of a release; what is not is absent. */
export type Compared = Partial<Record<Kind, unknown>>

/** What else is known of a deployment than its row says. */
export type Around = { source: DeploymentSource; moduleVersion: string | undefined; asRecorded: boolean }

/** Whether it is recorded what a release came to in the cloud; before, there is only what was asked for. */
export const isRecorded = ({ data }: DeploymentRow): boolean => recorded(releaseRecordOf(dataOf(data))) !== undefined

/** What a deployment releases: as it is recorded or, where the two compared are not both, as it was asked for. */
export function releaseOf(row: DeploymentRow, { source, moduleVersion, asRecorded }: Around): Compared {
  const data = dataOf(row.data)
  const { image: _, object: __, ...commit } = source
  return known({
    VERSION: versionOf(releaseMarksOf(data)),
    SOURCE: Object.keys(commit).length === 0 ? undefined : commit,
    MODULE_VERSION: moduleVersion,
    DEPLOYMENT_INPUT: row.triggerSource === 'EXTERNAL' ? undefined : row.inputs,
    INSTANCE_INPUT: row.instanceInput ?? undefined,
    RELEASE: asRecorded ? recorded(releaseRecordOf(data)) : askedFor(row),
  })
}

/** What ran before a deployment, by what it recorded of that itself; undefined where it recorded nothing. */
export function replacedBy(row: DeploymentRow): Compared | undefined {
  const data = dataOf(row.data)
  const release = previousRecordOf(data) ?? recorded(previousMarksOf(data))
  return release && known({ VERSION: versionOf(previousMarksOf(data)), RELEASE: release })
}

/** What a deployment is to register, as far as it says it in the words of what is recorded later. */
function askedFor({ release }: DeploymentRow): Json | undefined {
  if (release.type === 'cloud:ecs' && 'register' in release.taskDefinition) return release.taskDefinition.register
  return undefined
}

const recorded = (record: Json): Json | undefined =>
  Object.values(record).every((value) => value === undefined) ? undefined : record

const known = (compared: Compared): Compared =>
  Object.fromEntries(Object.entries(compared).filter(([, value]) => value !== undefined))

/** In what one release is another than the one before. Nothing is compared of which only one of them is known. */
export function differencesOf(
  before: Compared,
  after: Compared,
): Pick<DeploymentDifferences, 'differences' | 'unknown'> {
  const compared = differenceKinds.filter((kind) => kind !== 'IMAGE')
  const unknown = compared.filter((kind) => kind in before !== kind in after)
  const differences = compared
    .filter((kind) => !unknown.includes(kind))
    .flatMap((kind) => leaves(byName(before[kind]), byName(after[kind]), '').map((leaf) => told(kind, leaf)))
  const place = ({ of }: DeploymentDifference) => differenceKinds.indexOf(of)
  return { unknown, differences: differences.toSorted((a, b) => place(a) - place(b)) }
}

type Leaf = { path: string; before: unknown; after: unknown }

function told(kind: Kind, { path, before, after }: Leaf): DeploymentDifference {
  const of = kind === 'RELEASE' && isImage.test(path) ? 'IMAGE' : kind
  const isSecret = !isReference.test(path) && (holdsSecret(path, before) || holdsSecret(path, after))
  if (isSecret) return { of, path, isSecret }
  return { of, path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

const isImage = /(^|\.)image(Uri)?$/
/** Where the secrets of a container are kept, by the names of its variables. */
const isReference = /^containerDefinitions\.[^.]+\.secrets(\.|$)/

/** The places farthest in at which two values differ: what only one has is told part by part, too. */
function leaves(before: unknown, after: unknown, path: string): Leaf[] {
  if (isDeepStrictEqual(before, after)) return []
  const [left, right] = [before, after].map((value) => (isNothing(value) ? {} : value))
  const areParts = isParts(left) && isParts(right) && (isParts(before) || isParts(after))
  if (!areParts) return [{ path, before, after }]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.flatMap((name) => leaves(left[name], right[name], path === '' ? name : `${path}.${name}`))
}

/** A list without anything may become one of what has names. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const isParts = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists of what has names, by those: which place in a list it has says little. `{name, value}` is the value alone. */
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
