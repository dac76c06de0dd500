import { and, desc, eq, isNull, like } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { type ArtifactRow, artifacts } from './tables.ts'

export type NewArtifact = typeof artifacts.$inferInsert

export interface ArtifactFilters {
  moduleInstanceId?: string
  pipelineRunId?: string
  /** Prefix of the commit id, in hexadecimal. */
  commit?: string
  /** Whether to return only artifacts that are not being removed. */
  isThere?: boolean
}

export function listArtifacts(
  db: Db,
  organizationId: string,
  { moduleInstanceId, pipelineRunId, commit, isThere }: ArtifactFilters,
  page: PageBounds,
): Promise<PageRows<ArtifactRow>> {
  const where = and(
    eq(artifacts.organizationId, organizationId),
    moduleInstanceId === undefined ? undefined : eq(artifacts.moduleInstanceId, moduleInstanceId),
    pipelineRunId === undefined ? undefined : eq(artifacts.pipelineRunId, pipelineRunId),
    commit === undefined ? undefined : like(artifacts.commit, `${commit}%`),
    isThere ? isNull(artifacts.removalBeganAt) : undefined,
  )
  return selectPage(db, artifacts, where, page)
}

export async function findArtifact(db: Db, organizationId: string, id: string): Promise<ArtifactRow | undefined> {
  const [row] = await db
    .select()
    .from(artifacts)
    .where(and(eq(artifacts.organizationId, organizationId), eq(artifacts.id, id)))
  return row
}

/**
 * Returns the existing artifacts with this content key, newest first. Forced builds may have produced different ones.
 */
export function artifactsOf(db: Db, organizationId: string, contentKey: string): Promise<ArtifactRow[]> {
  return db
    .select()
    .from(artifacts)
    .where(
      and(
        eq(artifacts.organizationId, organizationId),
        eq(artifacts.contentKey, contentKey),
        isNull(artifacts.removedAt),
      ),
    )
    .orderBy(desc(artifacts.id))
}

/** Stores an artifact, or returns an existing identical one, and whether it is new. */
export async function insertArtifact(db: Db, row: NewArtifact): Promise<{ artifact: ArtifactRow; isNew: boolean }> {
  const [inserted] = await db.insert(artifacts).values(row).onConflictDoNothing().returning()
  if (inserted) return { artifact: inserted, isNew: true }
  const { organizationId, contentKey, digest } = row
  const same = (await artifactsOf(db, organizationId, contentKey)).find((one) => one.digest === digest)
  if (!same) throw new Error(`the artifact of ${contentKey} is gone`)
  return { artifact: same, isNew: false }
}
