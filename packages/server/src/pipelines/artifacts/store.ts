import { and, desc, eq, isNull, like } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { type ArtifactRow, artifacts } from './tables.ts'

export type NewArtifact = typeof artifacts.$inferInsert

export interface ArtifactFilters {
  moduleInstanceId?: string
  pipelineRunId?: string
  /** How the id of the commit begins, in hexadecimal. */
  commit?: string
  /** Only those that nobody has begun to remove. */
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

/** The artifacts of a content that are there, the newest first: a forced build may have come to something else. */
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

/** Stores an artifact, or finds the same where it is there already; whether it is new. */
export async function insertArtifact(db: Db, row: NewArtifact): Promise<{ artifact: ArtifactRow; isNew: boolean }> {
  const [inserted] = await db.insert(artifacts).values(row).onConflictDoNothing().returning()
  if (inserted) return { artifact: inserted, isNew: true }
  const { organizationId, contentKey, digest } = row
  const same = (await artifactsOf(db, organizationId, contentKey)).find((one) => one.digest === digest)
  if (!same) throw new Error(`the artifact of ${contentKey} is gone`)
  return { artifact: same, isNew: false }
}
