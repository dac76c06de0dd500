import type { InstanceGraph } from '../../modules/module-instances/graph.ts'
import { loadGraph } from '../../modules/module-instances/load.ts'
import type { RunOrder, StartedRuns } from '../../modules/module-instances/runs.ts'
import { lockModuleInstance, updateModuleInstance } from '../../modules/module-instances/store.ts'
import { type ModuleInstanceRow, moduleInstanceApplies } from '../../modules/module-instances/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { inUse, referenceNotFound } from '../../platform/http/references.ts'
import { startInstanceRun, withStack } from './start.ts'

/**
 * Starts runs for instances without references to the others and queues the rest behind the instances that they refer
 * to. @throws {ApiError} the error of an instance's own run
 */
export async function applyInOrder(
  tx: Db,
  organizationId: string,
  ids: readonly string[],
  order: RunOrder,
): Promise<StartedRuns> {
  const wanted = [...new Set(ids)].sort()
  const locked = new Map<string, ModuleInstanceRow>()
  for (const id of wanted) locked.set(id, await lockApplicable(tx, organizationId, id))
  const graph = await loadGraph(tx, organizationId, wanted)
  const instances: ModuleInstanceRow[] = []
  const runIds: string[] = []
  for (const { id, waitsFor } of inOrder(graph, wanted)) {
    const instance = locked.get(id)
    if (!instance) continue
    if (waitsFor.length > 0) {
      instances.push(await wait(tx, instance, waitsFor, order))
      continue
    }
    const started = await startInstanceRun(tx, instance, 'change', order)
    instances.push(...started.instances)
    runIds.push(...started.runIds)
  }
  return { instances, runIds }
}

async function lockApplicable(tx: Db, organizationId: string, id: string): Promise<ModuleInstanceRow> {
  const instance = await lockModuleInstance(tx, organizationId, id)
  if (!instance) throw referenceNotFound('ids', 'module instance', id)
  if (instance.status === 'DESTROYED') {
    throw new ApiError(
      'moduleInstanceDestroyed',
      `The module instance ${instance.id} is destroyed and cannot be changed.`,
    )
  }
  if (instance.status === 'DESTROYING') {
    throw inUse('moduleInstanceInUse', `module instance ${instance.givenId}`, [`pipeline run ${instance.latestRunId}`])
  }
  return withStack(tx, instance)
}

async function wait(
  tx: Db,
  instance: ModuleInstanceRow,
  waitsFor: string[],
  { author, isAutoApproved, triggerSource, triggeredBy }: RunOrder,
): Promise<ModuleInstanceRow> {
  const { organizationId, id } = instance
  const row = { organizationId, moduleInstanceId: id, waitsFor, author, isAutoApproved, triggerSource, triggeredBy }
  await tx
    .insert(moduleInstanceApplies)
    .values(row)
    .onConflictDoUpdate({ target: moduleInstanceApplies.moduleInstanceId, set: row })
  const updated = await updateModuleInstance(tx, organizationId, id, { status: 'UPDATING', error: null })
  return updated ?? instance
}

/** Orders instances by dependency and returns the others that each depends on, directly or indirectly. */
export function inOrder(
  graph: Pick<InstanceGraph, 'find'>,
  ids: readonly string[],
): { id: string; waitsFor: string[] }[] {
  const all = ids.map((id) => {
    const reached = reachedFrom(graph, id)
    return { id, waitsFor: ids.filter((other) => other !== id && reached.has(other)) }
  })
  // An instance depends on more instances than any of its dependencies.
  return all.sort((one, other) => one.waitsFor.length - other.waitsFor.length)
}

function reachedFrom(graph: Pick<InstanceGraph, 'find'>, id: string, reached = new Set<string>()): Set<string> {
  for (const referred of graph.find(id).references.values()) {
    if (reached.has(referred)) continue
    reached.add(referred)
    reachedFrom(graph, referred, reached)
  }
  return reached
}
