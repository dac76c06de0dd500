import type { ModuleInstance, ModuleInstanceUi } from '@sluice/contract'
import { and, inArray, isNotNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { moduleVersions } from '../module-definitions/tables.ts'
import { outputRoots } from './blocks.ts'
import { loadGraph } from './load.ts'
import type { ModuleInstanceRow } from './tables.ts'
import { uiOf } from './ui.ts'

/** Returns the links, logs and metrics of several instances by id, with a constant number of queries. */
export async function uisOf(
  db: Db,
  organizationId: string,
  rows: readonly ModuleInstanceRow[],
): Promise<Map<string, ModuleInstanceUi>> {
  const versionIds = [...new Set(rows.map(({ moduleVersionId }) => moduleVersionId))]
  if (versionIds.length === 0) return new Map()
  const withUi = await db
    .select({ id: moduleVersions.id })
    .from(moduleVersions)
    .where(and(inArray(moduleVersions.id, versionIds), isNotNull(sql`${moduleVersions.config} -> 'ui'`)))
  const shown = rows.filter(({ moduleVersionId }) => withUi.some(({ id }) => id === moduleVersionId))
  if (shown.length === 0) return new Map()
  const graph = await loadGraph(
    db,
    organizationId,
    shown.map(({ id }) => id),
  )
  return new Map(
    shown.flatMap(({ id }) => {
      const placed = graph.find(id)
      const ui = uiOf(placed.version.config.ui, outputRoots(placed, graph.resolve(id).values))
      return ui ? [[id, ui]] : []
    }),
  )
}

export const toWire = (row: ModuleInstanceRow, ui?: ModuleInstanceUi): ModuleInstance =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleDefinitionId: row.moduleDefinitionId,
    moduleVersionId: row.moduleVersionId,
    givenId: row.givenId,
    name: row.name,
    type: row.type,
    status: row.status,
    input: row.input,
    description: row.description ?? undefined,
    error: row.error ?? undefined,
    stackId: row.stackId ?? undefined,
    ui,
  })

/** Serializes one instance with its current links, logs and metrics. */
export async function serializeInstance(db: Db, row: ModuleInstanceRow): Promise<ModuleInstance> {
  const uis = await uisOf(db, row.organizationId, [row])
  return toWire(row, uis.get(row.id))
}
