import type { UpdateModuleInstance } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { listed } from '../../platform/http/listed.ts'
import { inUse } from '../../platform/http/references.ts'
import { acceptDraft } from './draft.ts'
import type { InstanceNode } from './graph.ts'
import { hasInfrastructure } from './infrastructure.ts'
import { loadGraph } from './load.ts'
import { restingStatus } from './machine.ts'
import { findModule } from './module.ts'
import { createStackOf, hasStackBlock, placeIn, requireExecutionEnvironment } from './place.ts'
import { type InstanceChanges, referrersOf, replaceReferences, updateModuleInstance } from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'

/** Validates and applies an update of a locked instance. Fields that are not supplied stay unchanged. */
export async function updateInstance(
  tx: Db,
  row: ModuleInstanceRow,
  { runStack: _, autoapprove: __, ...given }: UpdateModuleInstance,
): Promise<ModuleInstanceRow> {
  const { organizationId, id } = row
  rejectGone(row)
  const isMoved = given.environmentId !== undefined && given.environmentId !== row.environmentId
  const isOther = given.moduleDefinitionId !== undefined || given.moduleVersionId !== undefined
  if (isMoved) await rejectMove(tx, row)
  const changes: InstanceChanges = { ...given }
  if (isMoved || isOther || given.input !== undefined) {
    const found = await loadGraph(tx, organizationId, [id])
    Object.assign(changes, await changesOfModule(tx, row, found.find(id), given))
  }
  if (given.input !== undefined) await requireExecutionEnvironment(tx, organizationId, given.input)
  const updated = await updateModuleInstance(tx, organizationId, id, changes)
  if (!updated) throw new Error(`the module instance ${id} is gone`)
  return updated
}

function rejectGone({ id, givenId, status, latestRunId }: ModuleInstanceRow): void {
  if (status === 'DESTROYED') {
    throw new ApiError('moduleInstanceDestroyed', `The module instance ${id} is destroyed and cannot be changed.`)
  }
  if (status === 'DESTROYING') {
    throw inUse('moduleInstanceInUse', `module instance ${givenId}`, [`pipeline run ${latestRunId}, which destroys it`])
  }
}

/** Rejects a move to another environment if cloud resources or references exist. */
async function rejectMove(tx: Db, row: ModuleInstanceRow): Promise<void> {
  const referrers = await referrersOf(tx, row.organizationId, row.id)
  const users = (await hasInfrastructure(tx, row)) ? [...referrers, `its stack ${row.stackId}`] : referrers
  if (users.length === 0) return
  throw new ApiError('moduleInstanceInUse', `The module instance ${row.givenId} cannot move to another environment.`, {
    details: listed('Used by', users),
  })
}

/** Returns the changes for a new environment, module or input, and stores the references. */
async function changesOfModule(
  tx: Db,
  row: ModuleInstanceRow,
  before: InstanceNode,
  given: UpdateModuleInstance,
): Promise<InstanceChanges> {
  const { organizationId, id } = row
  const place = await placeIn(tx, organizationId, given.environmentId ?? row.environmentId)
  const { type, version } = await findModule(tx, organizationId, wishOf(row, given))
  const { stackId, status } = await stackFor(tx, row, place, version.config, given)
  const draft: InstanceNode = {
    ...before,
    ...place,
    givenId: given.givenId ?? row.givenId,
    type,
    version: { id: version.id, version: version.version, config: version.config },
    input: given.input ?? row.input,
    // New input is looked up by name; existing references keep their target, even after a renaming.
    references: given.input === undefined ? before.references : new Map(),
  }
  const { references } = await acceptDraft(tx, organizationId, draft, before, row)
  await replaceReferences(tx, organizationId, id, references)
  return { projectId: place.projectId, type, moduleVersionId: version.id, stackId, status }
}

/** Creates a stack if the new version has one, and rejects removing a stack that has resources. */
async function stackFor(
  tx: Db,
  row: ModuleInstanceRow,
  place: Parameters<typeof createStackOf>[2],
  config: Record<string, unknown>,
  given: UpdateModuleInstance,
): Promise<Pick<ModuleInstanceRow, 'stackId' | 'status'>> {
  const { organizationId, stackId, status } = row
  const hasStack = hasStackBlock({ config })
  if (hasStack === (stackId !== null)) return { stackId, status }
  if (hasStack) {
    const named = { givenId: given.givenId ?? row.givenId, name: given.name ?? row.name }
    return { stackId: await createStackOf(tx, organizationId, place, named), status: restingStatus(true, false) }
  }
  if (await hasInfrastructure(tx, row)) {
    const message = `The module instance ${row.givenId} has infrastructure, and the version has no stack that describes it.`
    throw new ApiError('moduleInstanceInUse', message, {
      details: listed('Used by', [`its stack ${stackId}`]),
    })
  }
  return { stackId: null, status: restingStatus(false, false) }
}

/** Returns the requested version; a new definition implies its latest version. */
function wishOf(before: ModuleInstanceRow, data: UpdateModuleInstance) {
  const { moduleDefinitionId = before.moduleDefinitionId, moduleVersionId } = data
  const kept = moduleDefinitionId === before.moduleDefinitionId ? before.moduleVersionId : undefined
  return { moduleDefinitionId, moduleVersionId: moduleVersionId ?? kept }
}
