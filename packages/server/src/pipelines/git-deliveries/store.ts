import type { HostEvent } from '../../git/adapter/host.ts'
import { type CodeSourceRow, codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { and, eq, exists, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { type GitDeliveryRow, gitDeliveries } from './tables.ts'
import { deliveryService, toDelivery } from './wake.ts'

/** Sender of deliveries that are signed with the secret of the app. */
export const appSender = 'githosta'

/**
 * Loads the code source that a delivery was sent for. The query has no organization, because the secret that is checked
 * next identifies it.
 */
export async function findReceivingSource(db: Db, id: string): Promise<CodeSourceRow | undefined> {
  const [row] = await db
    .select()
    .from(codeSources)
    .where(and(eq(codeSources.id, id), ne(codeSources.type, 'GITHOSTA')))
  return row
}

/** Stores a delivery; returns undefined for a duplicate with the same id or body. */
export async function storeDelivery(
  db: Db,
  delivery: Pick<GitDeliveryRow, 'sender' | 'deliveryId' | 'bodyHash' | 'events'>,
  now: Date,
): Promise<string | undefined> {
  const [kept] = await db
    .insert(gitDeliveries)
    .values({ ...delivery, id: newId('gdl'), wakeAt: now })
    .onConflictDoNothing()
    .returning({ id: gitDeliveries.id })
  return kept?.id
}

/** Loads a delivery for the engine's handler, by its id. */
export async function loadDelivery(db: Db, id: string): Promise<GitDeliveryRow | undefined> {
  const [row] = await db.select().from(gitDeliveries).where(eq(gitDeliveries.id, id))
  return row
}

/** Completes a delivery; returns false if another call did, which then processed all of it. */
export async function completeDelivery(tx: Db, id: string, now: Date): Promise<boolean> {
  const completed = await tx
    .update(gitDeliveries)
    .set({ completedAt: now, wakeAt: null, updatedAt: sql`now()` })
    .where(and(eq(gitDeliveries.id, id), isNull(gitDeliveries.completedAt)))
    .returning({ id: gitDeliveries.id })
  return completed.length > 0
}

/** Finds unprocessed deliveries and returns their messages. */
export const overdueDeliveries = overdueIn(gitDeliveries, {
  service: deliveryService,
  messagesOf: (rows) => rows.map(({ id }) => toDelivery(id)),
})

/** Time after which neither host repeats a delivery, in milliseconds. */
const keptMs = 30 * 86_400_000

/**
 * Retention of body hashes for the second host, in milliseconds. Its bodies have no time, so that setting a branch back
 * and forth repeats a body. Replay protection is not needed, because its deliveries contain the secret itself.
 */
const wordsKeptMs = 86_400_000

/** Deletes deliveries that can no longer be redelivered. */
export async function deleteExpiredDeliveries(db: Db, now: Date): Promise<void> {
  const before = (ageMs: number) => lt(gitDeliveries.createdAt, new Date(now.getTime() - ageMs))
  await db.delete(gitDeliveries).where(before(keptMs))
  const saidAgain = and(ne(gitDeliveries.sender, appSender), isNotNull(gitDeliveries.bodyHash), before(wordsKeptMs))
  await db.update(gitDeliveries).set({ bodyHash: null }).where(saidAgain)
}

type RepositoryEvent = Extract<HostEvent, { gitRepositoryId: string }>

/** Returns the code sources of all organizations that an event of this sender concerns. */
export async function sourcesOf(
  db: Db,
  sender: string,
  { gitRepositoryId }: RepositoryEvent,
): Promise<CodeSourceRow[]> {
  const isSenders =
    sender === appSender ? and(eq(codeSources.type, 'GITHOSTA'), exists(claimOf(db))) : eq(codeSources.id, sender)
  return db
    .select()
    .from(codeSources)
    .where(and(isSenders, eq(codeSources.gitRepositoryId, gitRepositoryId)))
}

/** Subquery for the organization's claim to the installation of a code source. */
const claimOf = (db: Db) =>
  db
    .select({ id: githostaInstallations.id })
    .from(githostaInstallations)
    .where(
      and(
        eq(githostaInstallations.organizationId, codeSources.organizationId),
        eq(githostaInstallations.githostaInstallationId, sql`${codeSources.auth} ->> 'githostaInstallationId'`),
      ),
    )

/**
 * Updates the access of code sources after an installation was granted or revoked, in every organization that uses it.
 */
export async function updateAccess(tx: Db, event: Extract<HostEvent, { kind: 'access' }>): Promise<void> {
  const { installationId, gitRepositoryIds, isLost } = event
  const change = { accessLost: isLost, updatedAt: sql`now()` }
  const isThrough = eq(sql`${codeSources.auth} ->> 'githostaInstallationId'`, installationId)
  const isAbout: SQL | undefined = gitRepositoryIds && inArray(codeSources.gitRepositoryId, gitRepositoryIds)
  await tx
    .update(codeSources)
    .set(change)
    .where(and(eq(codeSources.type, 'GITHOSTA'), isThrough, isAbout, ne(codeSources.accessLost, isLost)))
  if (gitRepositoryIds) return
  await tx
    .update(githostaInstallations)
    .set(change)
    .where(eq(githostaInstallations.githostaInstallationId, installationId))
}
