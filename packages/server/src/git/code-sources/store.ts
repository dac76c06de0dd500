import type { CodeSourceType } from '@sluice/contract'
import { and, desc, eq, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { readRepositoryUrl } from '../adapter/repository-url.ts'
import { type CodeSourceRow, codeSources } from './tables.ts'

/** Repository metadata from the host. */
export type RepositoryFacts = Pick<CodeSourceRow, 'gitRepositoryId' | 'repoName' | 'defaultBranch' | 'visibility'>

const one = (organizationId: string, id: string) =>
  and(eq(codeSources.organizationId, organizationId), eq(codeSources.id, id))

export async function insertCodeSource(
  tx: Db,
  organizationId: string,
  given: Pick<CodeSourceRow, 'type' | 'repoUrl' | 'repoName' | 'visibility' | 'auth'> & Partial<RepositoryFacts>,
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

export async function findCodeSources(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<CodeSourceRow[]> {
  if (ids.length === 0) return []
  return db
    .select()
    .from(codeSources)
    .where(and(eq(codeSources.organizationId, organizationId), inArray(codeSources.id, [...ids])))
}

/** Reports whether a normalized address is a current or former address of the code source. */
export const isAtAddress = ({ repoUrl, formerRepoUrls }: Place, address: string | null | undefined): boolean =>
  repoUrl === address || formerRepoUrls.some((former) => former === address)

type Place = Pick<CodeSourceRow, 'repoUrl' | 'formerRepoUrls'>

/** Returns a condition for code sources at these addresses and an order that puts current before former addresses. */
const atAddresses = (addresses: readonly string[]) => {
  const list = sql`array[${sql.join(
    addresses.map((one) => sql`${one}`),
    sql`, `,
  )}]::text[]`
  return {
    where: or(inArray(codeSources.repoUrl, [...addresses]), sql`${codeSources.formerRepoUrls} && ${list}`),
    order: desc(inArray(codeSources.repoUrl, [...addresses])),
  }
}

/** Returns the connected code sources at these normalized addresses. */
export async function findCodeSourcesAt(
  db: Db,
  organizationId: string,
  addresses: readonly string[],
): Promise<CodeSourceRow[]> {
  if (addresses.length === 0) return []
  const { where, order } = atAddresses([...new Set(addresses)])
  return db
    .select()
    .from(codeSources)
    .where(and(eq(codeSources.organizationId, organizationId), where))
    .orderBy(order)
}

/** Accepts any host, because this comparison only needs the normalized address. */
const anyHost = { GITHOSTA: '', GITHOSTB: '' }

/** Returns the code source at an address, in any notation. */
export async function findCodeSourceAt(
  db: Db,
  organizationId: string,
  address: string,
): Promise<CodeSourceRow | undefined> {
  const read = readRepositoryUrl(anyHost, 'GITHOSTB_SELF_HOSTED', address)
  if ('expected' in read) return undefined
  const [row] = await findCodeSourcesAt(db, organizationId, [read.repoUrl])
  return row
}

/** Deletes the code source. Returns false if it does not exist. */
export async function removeCodeSource(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const removed = await tx.delete(codeSources).where(one(organizationId, id)).returning({ id: codeSources.id })
  return removed.length > 0
}

/** Stores whether access is lost. Returns true if that changed. */
export async function setAccessLost(
  db: Db,
  { organizationId, id }: Pick<CodeSourceRow, 'organizationId' | 'id'>,
  accessLost: boolean,
): Promise<boolean> {
  const changed = await db
    .update(codeSources)
    .set({ accessLost, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), ne(codeSources.accessLost, accessLost)))
    .returning({ id: codeSources.id })
  return changed.length > 0
}

/** Stores the repository metadata that was not available before. */
export async function setFacts(
  db: Db,
  { organizationId, id }: Pick<CodeSourceRow, 'organizationId' | 'id'>,
  facts: RepositoryFacts,
): Promise<void> {
  await db
    .update(codeSources)
    .set({ ...facts, updatedAt: sql`now()` })
    .where(one(organizationId, id))
}

/** Code source whose repository was renamed, with its current name and access. */
export type RenamedSource = Pick<CodeSourceRow, 'repoName' | 'auth'> & { source: CodeSourceRow }

/** Stores a repository's new address, unless another code source of the organization already has it. */
export async function renameCodeSource(tx: Db, { source, auth, repoName }: RenamedSource): Promise<void> {
  const { organizationId, id, repoUrl: before } = source
  const repoUrl = `${new URL(before).origin}/${repoName.toLowerCase()}`
  const ofOrganization = eq(codeSources.organizationId, organizationId)
  const taken = await tx.$count(
    codeSources,
    and(ofOrganization, eq(codeSources.repoUrl, repoUrl), ne(codeSources.id, id)),
  )
  if (taken > 0) return
  const formerRepoUrls = [...source.formerRepoUrls, before].filter((former) => former !== repoUrl)
  await tx
    .update(codeSources)
    .set({ repoName, repoUrl, formerRepoUrls, auth, updatedAt: sql`now()` })
    .where(one(organizationId, id))
}

/** Replaces the webhook secret. Returns false if the code source does not exist. */
export async function setWebhookSecret(
  tx: Db,
  organizationId: string,
  id: string,
  webhookSecretHash: string,
): Promise<boolean> {
  const changed = await tx
    .update(codeSources)
    .set({ webhookSecretHash, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning({ id: codeSources.id })
  return changed.length > 0
}
