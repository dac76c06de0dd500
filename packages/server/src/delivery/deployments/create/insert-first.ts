import type { Author } from '../../../identity/audit-events/author.ts'
import { type Change, changeSlots, changeValues } from '../../../identity/audit-events/record.ts'
import { auditEvents } from '../../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { and, eq, ne, type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { columnValues, prepared, typedSlots } from '../../../platform/db/prepared.ts'
import { emitStatusChange } from '../../../platform/db/status-changes.ts'
import { allNames, hasEntryRules, type NewDeployment, queuedUpToLimit, wholeRow } from '../store/store.ts'
import { type DeploymentRow, deployments } from '../store/tables.ts'
import { insertReleasable } from './releasable.ts'

const listed = (slots: Record<string, SQL>): SQL => sql.join(Object.values(slots), sql`, `)

/** Returns the condition that the organization has fewer queued deployments than its limit. */
function isBelow(db: Db): SQL {
  const most = sql`${sql.placeholder('mostQueued')}::integer`
  return sql`(${most} is null or (select count(*) from ${queuedUpToLimit(db)}) < ${most})`
}

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
      // Read from the locked row, and so after the lock is acquired.
      .select(
        sql`select ${listed(typedSlots(deployments))} from held
          where not held.is_ruled and is_queue_empty(held.id) and ${isBelow(db)}`,
      )
      .returning({ id: deployments.id }),
  )
  const noted = db.$with('noted').as(
    db
      .insert(auditEvents)
      .select(sql`select ${listed(changeSlots())} from inserted`)
      .returning({ id: auditEvents.id }),
  )
  return db.with(held, inserted, noted).select({ id: inserted.id }).from(inserted).prepare('insert_first_deployment')
})

type First = {
  row: NewDeployment & { createdAt: Date; updatedAt: Date }
  author: Author
  change: Change
  mostQueued: number | undefined
}

/**
 * Stores a deployment of an instance that has no queued or active deployment, and its audit log entry, in one
 * statement. Returns undefined and stores nothing if the instance is busy or missing, if gates must be evaluated, or if
 * `mostQueued` is reached.
 */
export async function insertFirst(
  db: Db,
  { row, author, change, mostQueued }: First,
): Promise<DeploymentRow | undefined> {
  const whole = wholeRow(row)
  const values = columnValues(deployments, allNames, whole)
  const [inserted] = await insertReleasable(
    insert(db).execute({ ...values, ...changeValues(author, change), mostQueued: mostQueued ?? null }),
  )
  if (!inserted) return undefined
  emitStatusChange(db, 'deployment', undefined, whole)
  return whole // equals the stored row: the database sets no column by itself
}
