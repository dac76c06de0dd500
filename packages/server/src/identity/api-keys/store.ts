import type { StoredApiKey } from '../../platform/auth/api-key.ts'
import { and, eq, isNull, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { apiKeys } from '../organizations/tables.ts'

export type ApiKeyRow = typeof apiKeys.$inferSelect

/** Scope of visible keys: the whole organization, or one membership or service account. */
export type KeyScope = { organizationId: string; holderId: string | undefined }

/**
 * Selects visible keys. Revoked keys are retained only for investigations, and tokens exchanged for ID tokens end with
 * their trust.
 */
const isInScope = ({ organizationId, holderId }: KeyScope) =>
  and(
    eq(apiKeys.organizationId, organizationId),
    isNull(apiKeys.revokedAt),
    isNull(apiKeys.trustId),
    holderId === undefined ? undefined : or(eq(apiKeys.membershipId, holderId), eq(apiKeys.serviceAccountId, holderId)),
  )

export async function findApiKey(db: Db, scope: KeyScope, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(isInScope(scope), eq(apiKeys.id, id)))
  return row
}

export function listApiKeys(
  db: Db,
  scope: KeyScope,
  { membershipId, serviceAccountId }: { membershipId?: string; serviceAccountId?: string },
  page: PageBounds,
): Promise<PageRows<ApiKeyRow>> {
  const where = and(
    isInScope(scope),
    membershipId === undefined ? undefined : eq(apiKeys.membershipId, membershipId),
    serviceAccountId === undefined ? undefined : eq(apiKeys.serviceAccountId, serviceAccountId),
  )
  return selectPage(db, apiKeys, where, page)
}

/** Membership or service account that owns a key. */
export type KeyHolder = { membershipId: string } | { serviceAccountId: string; trustId?: string }

export type NewApiKeyRow = StoredApiKey & KeyHolder & { organizationId: string; name: string; expiresAt: Date | null }

export async function insertApiKey(tx: Db, key: NewApiKeyRow): Promise<ApiKeyRow> {
  const [row] = await tx
    .insert(apiKeys)
    .values({ id: newId('key'), ...key })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function revokeApiKey(tx: Db, scope: KeyScope, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(isInScope(scope), eq(apiKeys.id, id)))
    .returning()
  return row
}
