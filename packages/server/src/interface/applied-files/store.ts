import { type AuditEventRow, auditEvents } from '../../identity/audit-events/tables.ts'
import { and, asc, desc, eq, gt, inArray, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { actionsThatChangeRecords } from './changes.ts'
import type { ProjectPlace } from './places.ts'
import { type AppliedFilesRow, appliedFiles, type RecordInFilesRow, recordsInFiles } from './tables.ts'

export async function findAppliedFiles(
  db: Db,
  { organizationId, projectId }: ProjectPlace,
): Promise<AppliedFilesRow | undefined> {
  const [row] = await db
    .select()
    .from(appliedFiles)
    .where(and(eq(appliedFiles.organizationId, organizationId), eq(appliedFiles.projectId, projectId)))
  return row
}

/** Lists the records of a project that files manage and that `db` shows, or one of them. */
export function listRecordsInFiles(
  db: Db,
  { organizationId, projectId }: ProjectPlace,
  recordId?: string,
): Promise<RecordInFilesRow[]> {
  return db
    .select()
    .from(recordsInFiles)
    .where(
      and(
        eq(recordsInFiles.organizationId, organizationId),
        eq(recordsInFiles.projectId, projectId),
        recordId === undefined ? undefined : eq(recordsInFiles.recordId, recordId),
      ),
    )
    .orderBy(asc(recordsInFiles.recordId))
}

type Said = Omit<AppliedFilesRow, 'appliedAt' | 'records'>

/** Replaces the list of records that files manage, as far as `db` shows them. Hidden ones stay unchanged. */
export async function replaceAppliedFiles(
  tx: Db,
  applied: Said,
  records: readonly Pick<RecordInFilesRow, 'recordId' | 'names' | 'environmentIds'>[],
): Promise<void> {
  const { organizationId, projectId } = applied
  const forVersionBefore = Object.fromEntries(records.map(({ recordId, names }) => [recordId, names[0] ?? '']))
  const said = { ...applied, records: forVersionBefore, appliedAt: sql`clock_timestamp()` }
  await tx.insert(appliedFiles).values(said).onConflictDoUpdate({ target: appliedFiles.projectId, set: said })
  await tx
    .delete(recordsInFiles)
    .where(and(eq(recordsInFiles.organizationId, organizationId), eq(recordsInFiles.projectId, projectId)))
  if (records.length === 0) return
  await tx.insert(recordsInFiles).values(records.map((one) => ({ organizationId, projectId, ...one })))
}

/** Maximum number of listed changes. */
const maxChanges = 100

/**
 * Returns the changes and removals of these records since then, latest first; for a pipeline, also changes of the
 * pipelines that it runs.
 */
export function changesSince(
  db: Db,
  organizationId: string,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<AuditEventRow[]> {
  const pipelineId = sql`${auditEvents.details}->>'pipelineId'`
  return db
    .select()
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.organizationId, organizationId),
        gt(auditEvents.createdAt, since),
        or(
          and(inArray(auditEvents.resourceId, [...ids]), inArray(auditEvents.action, actionsThatChangeRecords)),
          and(eq(auditEvents.action, 'pipeline-versions.create'), inArray(pipelineId, [...ids])),
        ),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(maxChanges)
}
