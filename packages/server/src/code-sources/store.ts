import type { CodeSourceType } from '@sluice/contract'
import { and, eq } from 'drizzle-orm'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../platform/db/page.ts'
import { newId } from '../platform/ids.ts'
import { type CodeSourceRow, codeSources } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(codeSources.organizationId, organizationId), eq(codeSources.id, id))

export async function insertCodeSource(
  tx: Db,
  organizationId: string,
  given: Pick<CodeSourceRow, 'type' | 'repoUrl' | 'repoName' | 'visibility' | 'auth'>,
): Promise<CodeSourceRow> {
  const [row] = await tx
    .insert(codeSources)
    .values({ ...given, id: newId('cs'), organizationId })
    .returning()
  if (!row) throw new Error('the code source was not inserted')
  return row
}

export function listCodeSources(
  db: Db,
  organizationId: string,
  { type }: { type?: CodeSourceType },
  page: PageBounds,
): Promise<PageRows<CodeSourceRow>> {
  const where = and(
    eq(codeSources.organizationId, organizationId),
    type === undefined ? undefined : eq(codeSources.type, type),
  )
  return selectPage(db, codeSources, where, page)
}

export async function findCodeSource(db: Db, organizationId: string, id: string): Promise<CodeSourceRow | undefined> {
  const [row] = await db.select().from(codeSources).where(one(organizationId, id))
  return row
}

/** False if there is none. */
export async function removeCodeSource(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const removed = await tx.delete(codeSources).where(one(organizationId, id)).returning({ id: codeSources.id })
  return removed.length > 0
}
