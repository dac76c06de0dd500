import type { HostEvent } from '../../git/adapter/host.ts'
import { type CodeSourceRow, codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { and, eq, exists, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { type GitDeliveryRow, gitDeliveries } from './tables.ts'
import { deliveryService, toDelivery } from './wake.ts'

/** The sender of what is signed with the secret of our app. */
export const appSender = 'githosta'

/** The code source a delivery comes for. It names no organization: the secret that it brings, checked next, does. */
export async function findReceivingSource(db: Db, id: string): Promise<CodeSourceRow | undefined> {
  const [row] = await db
    .select()
    .from(codeSources)
    .where(and(eq(codeSources.id, id), ne(codeSources.type, 'GITHOSTA')))
  return row
}

/** Keeps a delivery; undefined if it came before, under this name or another. */
export async function keepDelivery(
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

/** For the engine's handler, whose key is the id. */
export async function loadDelivery(db: Db, id: string): Promise<GitDeliveryRow | undefined> {
  const [row] = await db.select().from(gitDeliveries).where(eq(gitDeliveries.id, id))
  return row
}

/** Ends a delivery; false if somebody else did, who then did all that it asks for. */
export async function completeDelivery(tx: Db, id: string, now: Date): Promise<boolean> {
  const completed = await tx
    .update(gitDeliveries)
    .set({ completedAt: now, wakeAt: null, updatedAt: sql`now()` })
    .where(and(eq(gitDeliveries.id, id), isNull(gitDeliveries.completedAt)))
    .returning({ id: gitDeliveries.id })
  return completed.length > 0
}

/** The messages of deliveries that were kept and not looked at. */
export const overdueDeliveries = overdueIn(gitDeliveries, {
  service: deliveryService,
  messagesOf: (rows) => rows.map(({ id }) => toDelivery(id)),
})

/** Neither host sends a delivery again after so long. Milliseconds. */
const keptMs = 30 * 86_400_000

/**
 * The second host's bodies bear no time: a branch that is set back and forth is told in the same words again. What it
 * sends carries the secret itself, so that whoever caught it needs no second delivery. Milliseconds.
 */
const wordsKeptMs = 86_400_000

/** Forgets deliveries that will not come again. */
export async function forgetDeliveries(db: Db, now: Date): Promise<void> {
  const before = (ageMs: number) => lt(gitDeliveries.createdAt, new Date(now.getTime() - ageMs))
  await db.delete(gitDeliveries).where(before(keptMs))
  const saidAgain = and(ne(gitDeliveries.sender, appSender), isNotNull(gitDeliveries.bodyHash), before(wordsKeptMs))
  await db.update(gitDeliveries).set({ bodyHash: null }).where(saidAgain)
}

type Told = Extract<HostEvent, { gitRepositoryId: string }>

/** The code sources that an event is about: of all organizations that read the repository through the sender. */
export async function sourcesOf(db: Db, sender: string, { gitRepositoryId }: Told): Promise<CodeSourceRow[]> {
  const isSenders =
    sender === appSender ? and(eq(codeSources.type, 'GITHOSTA'), exists(claimOf(db))) : eq(codeSources.id, sender)
  return db
    .select()
    .from(codeSources)
    .where(and(isSenders, eq(codeSources.gitRepositoryId, gitRepositoryId)))
}

/** The organization's claim to the installation that a code source is read through. */
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

/** Marks what an installation opens, or no longer opens, in every organization that uses it. */
export async function setAccess(tx: Db, event: Extract<HostEvent, { kind: 'access' }>): Promise<void> {
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
