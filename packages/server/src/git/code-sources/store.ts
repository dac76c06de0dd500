import type { CodeSourceType } from '@sluice/contract'
import { and, desc, eq, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { readRepositoryUrl } from '../adapter/repository-url.ts'
import { type CodeSourceRow, codeSources } from './tables.ts'

/** What the git host says of a repository. */
export type Facts = Pick<CodeSourceRow, 'gitRepositoryId' | 'repoName' | 'defaultBranch' | 'visibility'>

const one = (organizationId: string, id: string) =>
  and(eq(codeSources.organizationId, organizationId), eq(codeSources.id, id))

export async function insertCodeSource(
  tx: Db,
  organizationId: string,
  given: Pick<CodeSourceRow, 'type' | 'repoUrl' | 'repoName' | 'visibility' | 'auth'> & Partial<Facts>,
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

/** Whether a code source is, or was before it got another name, at an address in its one form. */
export const isAtAddress = ({ repoUrl, formerRepoUrls }: Place, address: string | null | undefined): boolean =>
  repoUrl === address || formerRepoUrls.some((former) => former === address)

type Place = Pick<CodeSourceRow, 'repoUrl' | 'formerRepoUrls'>

/** In a query: the code sources at these addresses; those that are there now come before those that were. */
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

/** The connected ones of these addresses, as they are compared. */
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

/** Read as a self-hosted one, an address may be at any host: whichever it is, only its one form matters here. */
const anyHost = { GITHOSTA: '', GITHOSTB: '' }

/** The code source that connects the repository at an address, in whichever form that is written. */
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

/** False if there is none. */
export async function removeCodeSource(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const removed = await tx.delete(codeSources).where(one(organizationId, id)).returning({ id: codeSources.id })
  return removed.length > 0
}

/** Writes down whether the repository can be read; true where that is news. */
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

/** Writes down what the git host says, where it could not be asked before. */
export async function setFacts(
  db: Db,
  { organizationId, id }: Pick<CodeSourceRow, 'organizationId' | 'id'>,
  facts: Facts,
): Promise<void> {
  await db
    .update(codeSources)
    .set({ ...facts, updatedAt: sql`now()` })
    .where(one(organizationId, id))
}

/** A code source that its host calls otherwise than before, and how it is read now. */
export type RenamedSource = Pick<CodeSourceRow, 'repoName' | 'auth'> & { source: CodeSourceRow }

/** Writes down where a repository is now, unless another code source of the organization is there. */
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

/** From now on webhooks are taken with this secret, and with no other; false if there is no such code source. */
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
