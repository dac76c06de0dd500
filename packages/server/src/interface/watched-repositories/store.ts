import { and, asc, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { environments } from '../../projects/projects/tables.ts'
import {
  type WatchedPullRequestRow,
  type WatchedRepositoryRow,
  watchedPullRequests,
  watchedRepositories,
} from './tables.ts'
import { toWatched, toWatchedRequest, watchedRequestService, watchedService } from './wake.ts'

/** Name of the unique index: a project watches at most one repository. */
export const onePerProject = 'watched_repositories_project'

type Known = Pick<WatchedRepositoryRow, 'organizationId' | 'id'>

const one = (organizationId: string, id: string) =>
  and(eq(watchedRepositories.organizationId, organizationId), eq(watchedRepositories.id, id))

export async function insertWatched(
  tx: Db,
  row: Omit<typeof watchedRepositories.$inferInsert, 'id'>,
): Promise<WatchedRepositoryRow> {
  const [inserted] = await tx
    .insert(watchedRepositories)
    .values({ id: newId('wrp'), ...row })
    .returning()
  if (!inserted) throw new Error('the watched repository was not inserted')
  return inserted
}

export function listWatched(
  db: Db,
  organizationId: string,
  { projectId, codeSourceId }: { projectId?: string; codeSourceId?: string },
  page: PageBounds,
): Promise<PageRows<WatchedRepositoryRow>> {
  const where = and(
    eq(watchedRepositories.organizationId, organizationId),
    projectId === undefined ? undefined : eq(watchedRepositories.projectId, projectId),
    codeSourceId === undefined ? undefined : eq(watchedRepositories.codeSourceId, codeSourceId),
  )
  return selectPage(db, watchedRepositories, where, page)
}

export async function findWatched(
  db: Db,
  organizationId: string,
  id: string,
): Promise<WatchedRepositoryRow | undefined> {
  const [row] = await db.select().from(watchedRepositories).where(one(organizationId, id))
  return row
}

/** Loads a watched repository and locks it until the end of the transaction. */
export async function lockWatched(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<WatchedRepositoryRow | undefined> {
  const [row] = await tx.select().from(watchedRepositories).where(one(organizationId, id)).for('update')
  return row
}

/** Loads a watched repository for the engine's handler, by its id. */
export async function findWatchedOf(db: Db, id: string): Promise<WatchedRepositoryRow | undefined> {
  const [row] = await db.select().from(watchedRepositories).where(eq(watchedRepositories.id, id))
  return row
}

export type WatchedChanges = Partial<Omit<WatchedRepositoryRow, 'id' | 'organizationId' | 'createdAt' | 'revision'>>

/** Returns the columns that schedule the next pass. */
export const dueBy = (dueAt: Date | null) => ({ dueAt, wakeAt: dueAt })

/** Updates a locked watched repository, and invalidates the results of a concurrent pass. */
export async function changeWatched(
  tx: Db,
  { organizationId, id }: Known,
  changes: WatchedChanges,
): Promise<WatchedRepositoryRow> {
  const [row] = await tx
    .update(watchedRepositories)
    .set({ ...changes, revision: sql`${watchedRepositories.revision} + 1`, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  if (!row) throw new Error(`the watched repository ${id} was locked and is gone`)
  return row
}

/** Stores the results of a pass, unless the repository changed meanwhile. Returns whether they were stored. */
export async function saveSync(
  db: Db,
  { organizationId, id, revision }: Known & Pick<WatchedRepositoryRow, 'revision'>,
  changes: WatchedChanges,
): Promise<boolean> {
  const saved = await db
    .update(watchedRepositories)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), eq(watchedRepositories.revision, revision)))
    .returning({ id: watchedRepositories.id })
  return saved.length > 0
}

/** Reports whether the repository is unchanged since the pass started. */
export async function isUnchanged(db: Db, { organizationId, id, revision }: Known & { revision: number }) {
  return (
    (await db.$count(watchedRepositories, and(one(organizationId, id), eq(watchedRepositories.revision, revision)))) > 0
  )
}

export async function removeWatched(tx: Db, { organizationId, id }: Known): Promise<void> {
  await tx.delete(watchedRepositories).where(one(organizationId, id))
}

/** Returns the watched repositories for a branch, and locks them until the end of the transaction. */
export function watchingBranch(
  tx: Db,
  organizationId: string,
  { codeSourceId, branch }: { codeSourceId: string; branch: string },
): Promise<WatchedRepositoryRow[]> {
  const ofBranch = and(
    eq(watchedRepositories.organizationId, organizationId),
    eq(watchedRepositories.codeSourceId, codeSourceId),
    eq(watchedRepositories.branch, branch),
  )
  return tx.select().from(watchedRepositories).where(ofBranch).orderBy(asc(watchedRepositories.id)).for('update')
}

/** Reports whether any project watches the repository, so that the files of a pull request matter. */
export const isWatchedRepository = async (db: Db, organizationId: string, codeSourceId: string): Promise<boolean> =>
  (await db.$count(
    watchedRepositories,
    and(eq(watchedRepositories.organizationId, organizationId), eq(watchedRepositories.codeSourceId, codeSourceId)),
  )) > 0

/** Counts the environments of a project that `db` shows. */
export const countEnvironments = (db: Db, organizationId: string, projectId: string): Promise<number> =>
  db.$count(environments, and(eq(environments.organizationId, organizationId), eq(environments.projectId, projectId)))

/** Finds watched repositories that are due and returns their messages. No other timer starts their passes. */
export const overdueWatched = overdueIn(watchedRepositories, {
  service: watchedService,
  messagesOf: (rows) => rows.map(({ id }) => toWatched(id)),
  graceMs: 0,
})

export const overdueWatchedRequests = overdueIn(watchedPullRequests, {
  service: watchedRequestService,
  messagesOf: (rows) => rows.map(({ id }) => toWatchedRequest(id)),
  graceMs: 0,
})

const ofRequest = ({ organizationId, id }: Known, number: number) =>
  and(
    eq(watchedPullRequests.organizationId, organizationId),
    eq(watchedPullRequests.watchedRepositoryId, id),
    eq(watchedPullRequests.number, number),
  )

export async function hasRequest(tx: Db, watched: Known, number: number): Promise<boolean> {
  return (await tx.$count(watchedPullRequests, ofRequest(watched, number))) > 0
}

/** Stores the newest commit of a pull request, which makes it due for planning. */
export async function storePullRequest(
  tx: Db,
  watched: WatchedRepositoryRow,
  { number, commit }: { number: number; commit: string },
  now: Date,
): Promise<WatchedPullRequestRow> {
  const { organizationId, projectId, id: watchedRepositoryId } = watched
  const [row] = await tx
    .insert(watchedPullRequests)
    .values({ id: newId('wpr'), organizationId, projectId, watchedRepositoryId, number, commit, ...dueBy(now) })
    .onConflictDoUpdate({
      target: [watchedPullRequests.watchedRepositoryId, watchedPullRequests.number],
      set: {
        commit,
        ...dueBy(now),
        failures: 0,
        revision: sql`${watchedPullRequests.revision} + 1`,
        updatedAt: sql`now()`,
      },
    })
    .returning()
  if (!row) throw new Error('the pull request was not noted')
  return row
}

export async function forgetRequest(tx: Db, watched: Known, number: number): Promise<void> {
  await tx.delete(watchedPullRequests).where(ofRequest(watched, number))
}

/** Loads a pull request and its watched repository for the engine's handler, by its id. */
export async function findRequestOf(db: Db, id: string) {
  const [found] = await db
    .select({ request: watchedPullRequests, watched: watchedRepositories })
    .from(watchedPullRequests)
    .innerJoin(watchedRepositories, eq(watchedRepositories.id, watchedPullRequests.watchedRepositoryId))
    .where(eq(watchedPullRequests.id, id))
  return found
}

/** Stores the result of planning a pull request, unless there is a newer commit. Returns whether it was stored. */
export async function savePullRequest(
  db: Db,
  { organizationId, id, revision }: WatchedPullRequestRow,
  changes: Partial<Pick<WatchedPullRequestRow, 'told' | 'failures' | 'dueAt' | 'wakeAt'>>,
): Promise<boolean> {
  const isOne = and(eq(watchedPullRequests.organizationId, organizationId), eq(watchedPullRequests.id, id))
  const saved = await db
    .update(watchedPullRequests)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(and(isOne, eq(watchedPullRequests.revision, revision)))
    .returning({ id: watchedPullRequests.id })
  return saved.length > 0
}
