import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { isEnding } from './store.ts'

/** Refuses to change an organization that is to be deleted. */
export async function expectLasting(db: Db, organizationId: string): Promise<void> {
  if (!(await isEnding(db, organizationId))) return
  throw new Refusal(
    'organizationEnding',
    `An owner can take the deletion back: DELETE /organizations/${organizationId}/deletion.`,
  )
}
