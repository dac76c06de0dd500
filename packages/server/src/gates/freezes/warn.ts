import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Freezes, type Intent, warning } from './machine.ts'

type Passed = {
  known: Freezes
  intent: Intent
  /** What went on in spite of them, by its ids. */
  of: { [record: string]: string | undefined }
}

/** A freeze that only warns is known by what it would have stopped. */
export async function noteWarnings(tx: Db, organizationId: string, { known, intent, of }: Passed): Promise<void> {
  for (const { freezeId, name } of warning(known, intent)) {
    const details = { name, act: intent.act, ...of }
    const change = { action: 'freezes.warn', resourceType: 'freeze', resourceId: freezeId, details }
    await recordChange(tx, theService(organizationId), change)
  }
}
