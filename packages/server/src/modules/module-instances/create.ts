import type { CreateModuleInstance } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { acceptDraft, placedOf } from './draft.ts'
import { restingStatus } from './machine.ts'
import { findModule } from './module.ts'
import { createStackOf, hasStackBlock, placeIn, requireExecutionEnvironment } from './place.ts'
import { insertModuleInstance, replaceReferences } from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'

/** Creates a module instance, and its stack if the module has one, after validating its input. */
export async function createInstance(
  tx: Db,
  organizationId: string,
  { runStack: _, autoapprove: __, ...given }: CreateModuleInstance,
): Promise<ModuleInstanceRow> {
  const { givenId, name, input } = given
  const place = await placeIn(tx, organizationId, given.environmentId)
  const { type, version } = await findModule(tx, organizationId, given)
  const id = newId('mi')
  const hasStack = hasStackBlock(version)
  const stackId = hasStack ? await createStackOf(tx, organizationId, place, { givenId, name }) : null
  const status = restingStatus(hasStack, false)
  const draft = placedOf({ id, givenId, type, status, input, version, stackId, ...place })
  const { references } = await acceptDraft(tx, organizationId, draft)
  const placement = { id, projectId: place.projectId, moduleVersionId: version.id, type, status, stackId }
  await requireExecutionEnvironment(tx, organizationId, input)
  const row = await insertModuleInstance(tx, organizationId, { ...given, ...placement })
  await replaceReferences(tx, organizationId, id, references)
  return row
}
