import { type AuditEventRow, auditEvents } from '../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { and, desc, eq, gt, inArray, like, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { type AppliedFilesRow, appliedFiles } from './tables.ts'

export async function findAppliedFiles(
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<AppliedFilesRow | undefined> {
  const [row] = await db
    .select()
    .from(appliedFiles)
    .where(and(eq(appliedFiles.organizationId, organizationId), eq(appliedFiles.projectId, projectId)))
  return row
}

/** Puts this in the place of what was said before. */
export async function replaceAppliedFiles(tx: Db, row: Omit<AppliedFilesRow, 'appliedAt'>): Promise<void> {
  const said = { ...row, appliedAt: sql`clock_timestamp()` }
  await tx.insert(appliedFiles).values(said).onConflictDoUpdate({ target: appliedFiles.projectId, set: said })
}

/** Which of these are records of the project that `db` shows: what is hidden from who asks is not even named. */
export async function shownOf(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const inProject = [environments, pipelines, moduleInstances] as const
  const found = await Promise.all([
    db
      .select({ id: projects.id })
      .from(projects)
      .where(and(eq(projects.organizationId, organizationId), eq(projects.id, projectId), inArray(projects.id, ids))),
    ...inProject.map((table) =>
      db
        .select({ id: table.id })
        .from(table)
        .where(
          and(eq(table.organizationId, organizationId), eq(table.projectId, projectId), inArray(table.id, [...ids])),
        ),
    ),
  ])
  return new Set(found.flat().map(({ id }) => id))
}

/** More do not help whoever looks. */
const mostChanges = 100

/** What was changed of these records since then, the latest first; of a pipeline also what it runs. */
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
          and(inArray(auditEvents.resourceId, [...ids]), like(auditEvents.action, '%.update')),
          and(eq(auditEvents.action, 'pipeline-versions.create'), inArray(pipelineId, [...ids])),
        ),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(mostChanges)
}
