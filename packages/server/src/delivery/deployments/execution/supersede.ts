import type { Author } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { resourceType } from './decisions.ts'
import { superseded } from './failures.ts'
import { finish } from './state.ts'

type Supersession = { row: DeploymentRow; to: DeploymentRow }

/** Cancels a queued deployment because a newer one replaced it. */
export async function supersedeDeployment(
  tx: Db,
  author: Author,
  { row, to }: Supersession,
  now: Date,
): Promise<DeploymentRow> {
  const error = superseded({ id: to.id, triggeredBy: to.data.triggeredBy ?? 'somebody' })
  const noted = typeOf(row).note(row, 'CANCELLED', now, { message: error.message })
  const saved = await saveState(tx, row, finish(noted, 'CANCELLED', now, error))
  // A cancel or start of the deployment uses the same lock or came first; then nothing is left to supersede.
  if (!saved) return row
  const details = { status: saved.status, ...error.metadata }
  const change = { action: 'deployments.supersede', resourceType, resourceId: row.id, details }
  await recordChange(tx, author, { ...change, before: { status: row.status } })
  return saved
}
