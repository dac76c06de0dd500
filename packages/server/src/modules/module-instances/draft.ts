import type { ModuleInstanceStatus } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { listed } from '../../platform/http/listed.ts'
import { visibleTypes } from '../module-definitions/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import { type InputDefinition, referencePrefix } from '../module-versions/config/schema.ts'
import { type InstanceGraph, type InstanceNode, inputsOf } from './graph.ts'
import { immutableFaults } from './immutable.ts'
import { faultLine, type InputFault, type Resolution } from './inputs/resolve.ts'
import { loadGraph } from './load.ts'
import { shareLockModuleInstances } from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'

type Json = Record<string, unknown>

export type InstanceScope = Pick<InstanceNode, 'projectId' | 'projectGivenId' | 'environmentId' | 'environmentGivenId'>

export type Draft = InstanceScope & {
  id: string
  givenId: string
  type: string
  status: ModuleInstanceStatus
  input: Json
  version: ModuleVersionRow
  stackId: string | null
}

/** Converts a draft to an instance that does not exist yet and so has no stored references. */
export const placedOf = ({ version, stackId, ...draft }: Draft): InstanceNode => ({
  ...draft,
  version: { id: version.id, version: version.version, config: version.config },
  stack: stackId === null ? undefined : { id: stackId, outputs: null },
  references: new Map(),
})

/**
 * Resolves a draft's inputs and locks the instances it refers to.
 * @throws {ApiError} moduleInputInvalid, with all errors
 */
export async function acceptDraft(
  tx: Db,
  organizationId: string,
  draft: InstanceNode,
  before?: InstanceNode,
  row?: ModuleInstanceRow,
): Promise<Resolution> {
  const { resolution, faults } = await validateDraft(tx, organizationId, draft, before, row)
  if (faults.length > 0) throw inputInvalid(draft, faults.map(faultLine), faults)
  const ids = [...new Set(resolution.references.map(({ id }) => id))]
  const held = await shareLockModuleInstances(tx, organizationId, ids)
  const lost = resolution.references.filter(({ id }) => !held.includes(id))
  if (lost.length === 0) return resolution
  const gone = lost.map(({ path }) => ({
    path: `input.${path}`,
    message: 'names an instance that has just been deleted',
  }))
  throw inputInvalid(draft, gone.map(faultLine), gone)
}

/** Resolves a draft's inputs and returns all errors. `before` is the stored instance. */
export async function validateDraft(
  db: Db,
  organizationId: string,
  draft: InstanceNode,
  before?: InstanceNode,
  row?: ModuleInstanceRow,
): Promise<{ graph: InstanceGraph; resolution: Resolution; faults: InputFault[] }> {
  const graph = await loadGraph(db, organizationId, [], draft)
  const resolution = graph.resolve(draft.id)
  const kept = before && row ? await retainedValues(db, organizationId, before, row) : undefined
  const fixed =
    kept && before
      ? immutableFaults({ given: before.input, values: kept, references: before.references }, resolution, draft.input)
      : []
  const found = [...resolution.faults, ...fixed, ...circleFaults(graph, draft, resolution)]
  const faults = await withUnpublished(db, organizationId, draft, found)
  return { graph, resolution, faults }
}

/** Explains errors of references to definitions without a published version. */
async function withUnpublished(
  db: Db,
  organizationId: string,
  { version }: InstanceNode,
  faults: InputFault[],
): Promise<InputFault[]> {
  const types = referredTypes(inputsOf(version))
  const typeAt = ({ path }: InputFault) => types.get(path.replaceAll(/\[[^\]]*\]/g, '').replace(/^input\./, ''))
  const wanted = faults.flatMap((fault) => typeAt(fault) ?? [])
  if (wanted.length === 0) return faults
  const published = await visibleTypes(db, organizationId, wanted)
  return faults.map((fault) => {
    const type = typeAt(fault)
    if (type === undefined || published.includes(type)) return fault
    return { ...fault, message: `names a module of the type ${type}, and there is no definition of that type yet` }
  })
}

/** Returns the definition types that inputs refer to, by input path without list indexes. */
function referredTypes(inputs: readonly InputDefinition[], above = ''): Map<string, string> {
  const entries = inputs.flatMap(({ id, type, item_inputs }): [string, string][] => [
    ...(type.startsWith(referencePrefix) ? [[above + id, type.slice(referencePrefix.length)] as [string, string]] : []),
    ...referredTypes(item_inputs ?? [], `${above}${id}.`),
  ])
  return new Map(entries)
}

/**
 * Returns the values that immutable inputs must keep: those last applied or, without infrastructure, the stored ones.
 */
async function retainedValues(
  db: Db,
  organizationId: string,
  before: InstanceNode,
  row: ModuleInstanceRow,
): Promise<Json | undefined> {
  if (row.appliedInput !== null) return row.appliedInput
  if (row.stackId !== null) return undefined
  const graph = await loadGraph(db, organizationId, [before.id])
  return graph.resolve(before.id).values
}

/** Returns an error for each reference that leads back to the draft through stored references. */
function circleFaults(graph: InstanceGraph, draft: InstanceNode, { references }: Resolution): InputFault[] {
  return references.flatMap(({ path, id }) => {
    const way = referencePath(graph, id, draft.id, new Set())
    if (!way) return []
    const names = [draft, ...way.map((one) => graph.find(one))].map(({ givenId }) => givenId)
    return [{ path: `input.${path}`, message: `would make a circle of references: ${names.join(' → ')}` }]
  })
}

/** Returns the ids on a path of stored references, including both ends. */
function referencePath(graph: InstanceGraph, from: string, to: string, seen: Set<string>): string[] | undefined {
  if (from === to) return [to]
  if (seen.has(from)) return undefined
  seen.add(from)
  for (const next of graph.find(from).references.values()) {
    const way = referencePath(graph, next, to, seen)
    if (way) return [from, ...way]
  }
  return undefined
}

export const inputInvalid = ({ version }: Pick<InstanceNode, 'version'>, items: string[], faults: object[]): ApiError =>
  new ApiError('moduleInputInvalid', `The input does not match version ${version.version} of the module.`, {
    details: listed('Input', items),
    metadata: { errors: faults },
  })
