import type { Author } from '../../identity/audit-events/author.ts'
import { type Change, changeSlots, changeValues } from '../../identity/audit-events/record.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { columnValues, prepared, typedSlots } from '../../platform/db/prepared.ts'
import { tellChange } from '../../platform/db/told.ts'
import { releasable } from './releasable.ts'
import { allNames, hasEntryRules, type NewDeployment, wholeRow } from './store.ts'
import { type DeploymentRow, deployments } from './tables.ts'

const listed = (slots: Record<string, SQL>): SQL => sql.join(Object.values(slots), sql`, `)

const insert = prepared((db) => {
  const held = db.$with('held').as(
    db
      .select({ id: moduleInstances.id, isRuled: hasEntryRules(moduleInstances.organizationId).as('is_ruled') })
      .from(moduleInstances)
      .where(and(eq(moduleInstances.id, sql.placeholder('moduleInstanceId')), ne(moduleInstances.status, 'DESTROYED')))
      .for('update'),
  )
  const inserted = db.$with('inserted').as(
    db
      .insert(deployments)
      // Asked of the row that is held, so after the lock was had.
      .select(
        sql`select ${listed(typedSlots(deployments))} from held where not held.is_ruled and is_queue_empty(held.id)`,
      )
      .returning(),
  )
  const noted = db.$with('noted').as(
    db
      .insert(auditEvents)
      .select(sql`select ${listed(changeSlots())} from inserted`)
      .returning({ id: auditEvents.id }),
  )
  return db.with(held, inserted, noted).select().from(inserted).prepare('insert_first_deployment')
})

/**
 * Stores a deployment of an instance that no other one waits for or runs on, with the line in the audit log: all that
 * accepting takes then, in one statement. Undefined, with nothing stored, where there is another one, or no instance,
 * or where freezes or policies of the organization are to be asked.
 */
export async function insertFirst(
  db: Db,
  { row, author, change }: { row: NewDeployment; author: Author; change: Change },
): Promise<DeploymentRow | undefined> {
  const values = columnValues(deployments, allNames, wholeRow(row))
  const [inserted] = await releasable(insert(db).execute({ ...values, ...changeValues(author, change) }))
  if (inserted) tellChange(db, 'deployment', undefined, inserted)
  return inserted
}
