import type { PromoteDeployment } from '@sluice/contract'
import { findModuleInstance } from '../../modules/module-instances/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { missing } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { acceptDeployment, type Trigger } from './accept.ts'
import { findDeployment } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/**
 * Accepts the release of an earlier deployment in another place: with the inputs that it was given, which the interface
 * never shows, and by what is configured there. Unlike a redeployment, it is rendered anew.
 */
export async function acceptPromotion(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  { moduleInstanceId, description = source.description }: PromoteDeployment,
  clock: () => Date,
): Promise<DeploymentRow> {
  const { organizationId } = trigger.author
  const [from, to] = await Promise.all([
    findModuleInstance(db, organizationId, source.moduleInstanceId),
    findModuleInstance(db, organizationId, moduleInstanceId),
  ])
  if (!to) throw missing('moduleInstanceNotFound', 'module instance', moduleInstanceId)
  if (from?.moduleDefinitionId !== to.moduleDefinitionId) {
    const message = `The module instance ${to.givenId} is of another module than what ${source.id} released to.`
    throw new Refusal('moduleVersionMismatch', message)
  }
  if (await wasBegunOutside(db, source)) {
    const message = `What ${source.id} released was begun outside of Sluice, which does not know of what: deploy it by its inputs.`
    throw new Refusal('noStoredRelease', message)
  }
  return acceptDeployment(db, trigger, { moduleInstanceId, description, inputs: source.inputs }, clock)
}

/** Whether a deployment, or the one that it repeats in the end, was begun by others: it has no inputs then. */
async function wasBegunOutside(db: Db, row: DeploymentRow): Promise<boolean> {
  let origin: DeploymentRow | undefined = row
  while (origin && origin.triggerSource !== 'EXTERNAL') {
    const repeated: string | null = origin.redeployOfDeploymentId ?? origin.rollbackToDeploymentId
    if (repeated === null) return false
    origin = await findDeployment(db, row.organizationId, repeated)
  }
  return origin !== undefined
}
