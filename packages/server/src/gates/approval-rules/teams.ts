import { shareLockTeams } from '../../identity/teams/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { referenceNotFound } from '../../platform/http/references.ts'

/** Rejects unknown teams, and prevents the deletion of the others until the end of the transaction. */
export async function expectTeams(
  tx: Db,
  organizationId: string,
  { field, ids }: { field: string; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return
  const held = await shareLockTeams(tx, organizationId, ids)
  const unknown = ids.find((id) => !held.includes(id))
  if (unknown !== undefined) throw referenceNotFound(field, 'team', unknown)
}
