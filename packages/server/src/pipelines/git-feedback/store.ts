import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { and, asc, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { iacPlans } from '../iac-plans/tables.ts'
import { pipelineRuns, pipelines } from '../pipelines/tables.ts'
import { type GitFeedbackRow, gitFeedback } from './tables.ts'
import { feedbackMessages, feedbackService } from './wake.ts'

/** Remembers that the host of a code source is to be told of runs; of what everybody may read, nobody may be told. */
export async function beginFeedback(
  tx: Db,
  { id: codeSourceId, organizationId, auth }: CodeSourceRow,
  runIds: string[],
  at: Pick<GitFeedbackRow, 'branch' | 'commit'>,
  now: Date,
): Promise<GitFeedbackRow[]> {
  if (auth.kind === 'none' || runIds.length === 0) return []
  const runs = await tx
    .select({ pipelineRunId: pipelineRuns.id, pipelineId: pipelineRuns.pipelineId })
    .from(pipelineRuns)
    // Among the ids are runs that made room: those have their own rows already, or come from no push.
    .where(
      and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, runIds), ofThisPush(at.commit)),
    )
  if (runs.length === 0) return []
  return tx
    .insert(gitFeedback)
    .values(runs.map((run) => ({ ...run, ...at, id: newId('gfb'), organizationId, codeSourceId, wakeAt: now })))
    .onConflictDoNothing()
    .returning()
}

type RunAtCommit = Pick<GitFeedbackRow, 'pipelineRunId' | 'pipelineId' | 'branch' | 'commit'>

/** The same of one run, whatever set it off; a sweep finds it. What its host is told of a run already stays. */
export async function beginFeedbackOfRun(
  db: Db,
  { id: codeSourceId, organizationId, auth }: CodeSourceRow,
  run: RunAtCommit,
  now: Date,
): Promise<void> {
  if (auth.kind === 'none') return
  await db
    .insert(gitFeedback)
    .values({ ...run, id: newId('gfb'), organizationId, codeSourceId, wakeAt: now })
    .onConflictDoNothing()
}

const ofThisPush = (commit: string) => eq(sql`${pipelineRuns.trigger} -> 'payload' ->> 'commit'`, commit)

/** Has the host that was told of a run told of its retry, whose status takes the place of that; a sweep finds it. */
export async function handOnFeedback(
  tx: Db,
  { organizationId, from, to, now }: { organizationId: string; from: string; to: string; now: Date },
): Promise<void> {
  const isOfRun = and(eq(gitFeedback.organizationId, organizationId), eq(gitFeedback.pipelineRunId, from))
  const [row] = await tx.select().from(gitFeedback).where(isOfRun)
  if (!row) return
  const { codeSourceId, pipelineId, branch, commit } = row
  const place = { organizationId, codeSourceId, pipelineId, branch, commit }
  await tx.insert(gitFeedback).values({ ...place, id: newId('gfb'), pipelineRunId: to, wakeAt: now })
}

/** Has the host told again of the runs of a commit. */
export function reopenFeedback(
  tx: Db,
  { id, organizationId }: CodeSourceRow,
  commit: string,
  now: Date,
): Promise<GitFeedbackRow[]> {
  const isOfCommit = and(eq(gitFeedback.codeSourceId, id), eq(gitFeedback.commit, commit))
  return tx
    .update(gitFeedback)
    .set({ toldStatus: null, wakeAt: now, failures: 0, failure: null })
    .where(and(eq(gitFeedback.organizationId, organizationId), isOfCommit))
    .returning()
}

const isUntold: SQL = sql`${gitFeedback.toldStatus} is distinct from ${pipelineRuns.status}`

/** The messages for what the host has not been told yet: the run is in another status than it was told last. */
export const dueFeedback = overdueIn(gitFeedback, {
  service: feedbackService,
  key: gitFeedback.pipelineId,
  messagesOf: feedbackMessages,
  graceMs: 0,
  where: sql`exists (select 1 from ${pipelineRuns}
    where ${eq(pipelineRuns.id, gitFeedback.pipelineRunId)} and ${isUntold})`,
})

/** What there is to tell of, for the engine's handler, whose key is the pipeline. */
export async function loadUntold(db: Db, pipelineId: string, ids: string[]) {
  return db
    .select({ feedback: gitFeedback, run: pipelineRuns, pipeline: pipelines, project: projects, source: codeSources })
    .from(gitFeedback)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, gitFeedback.pipelineRunId))
    .innerJoin(pipelines, eq(pipelines.id, gitFeedback.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .innerJoin(codeSources, eq(codeSources.id, gitFeedback.codeSourceId))
    .where(
      and(
        eq(gitFeedback.pipelineId, pipelineId),
        inArray(gitFeedback.id, ids),
        isNotNull(gitFeedback.wakeAt),
        isUntold,
      ),
    )
}

export type Untold = Awaited<ReturnType<typeof loadUntold>>[number]

/** The plans of a run, with the stacks that they are for. */
export function plansOf(db: Db, { organizationId, pipelineRunId }: GitFeedbackRow) {
  const { kind, hasChanges, summary, review } = iacPlans
  return db
    .select({ stack: stacks.name, kind, hasChanges, summary, review })
    .from(iacPlans)
    .innerJoin(stacks, eq(stacks.id, iacPlans.stackId))
    .where(and(eq(iacPlans.organizationId, organizationId), eq(iacPlans.pipelineRunId, pipelineRunId)))
    .orderBy(asc(iacPlans.id))
}

export type PlanOfRun = Awaited<ReturnType<typeof plansOf>>[number]

const one = ({ organizationId, id }: GitFeedbackRow) =>
  and(eq(gitFeedback.organizationId, organizationId), eq(gitFeedback.id, id))

/** Writes down how telling went. */
export async function saveFeedback(
  db: Db,
  row: GitFeedbackRow,
  changes: Partial<Pick<GitFeedbackRow, 'wakeAt' | 'failures' | 'toldStatus' | 'failure' | 'checkId' | 'hasStatus'>>,
): Promise<void> {
  await db
    .update(gitFeedback)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(row))
}

/**
 * Whether runs of the pipeline have statuses at the commit: a check of the same name would stand beside them, and they
 * would never change again. Versions that knew no checks leave what they have told without a mark.
 */
export async function hasStatuses(
  db: Db,
  { organizationId, codeSourceId, commit, pipelineId }: GitFeedbackRow,
): Promise<boolean> {
  const { hasStatus, toldStatus, checkId } = gitFeedback
  const rows = await db
    .select({ id: gitFeedback.id })
    .from(gitFeedback)
    .where(
      and(
        ...[eq(gitFeedback.organizationId, organizationId), eq(gitFeedback.codeSourceId, codeSourceId)],
        ...[eq(gitFeedback.commit, commit), eq(gitFeedback.pipelineId, pipelineId)],
        or(eq(hasStatus, true), and(isNotNull(toldStatus), isNull(checkId))),
      ),
    )
    .limit(1)
  return rows.length > 0
}

/** For longer than the requests of one call take, each of which ends after 10 s. Milliseconds. */
const makingMs = 120_000

/** Takes it on to have the host make the check of a run; false where another call is at it, or has done it. */
export async function beginMaking(db: Db, row: GitFeedbackRow, now: Date): Promise<boolean> {
  const { checkId, checkAttemptedAt: at } = gitFeedback
  const isFree = or(isNull(at), lte(at, new Date(now.getTime() - makingMs)))
  // What was not known of an earlier attempt is looked up before another one: so it must be the one that was read.
  const isKnown = row.checkAttemptedAt === null ? isNull(at) : eq(at, row.checkAttemptedAt)
  const begun = await db
    .update(gitFeedback)
    .set({ checkAttemptedAt: now })
    .where(and(one(row), isNull(checkId), isKnown, isFree))
    .returning({ id: gitFeedback.id })
  return begun.length > 0
}

/** Lets the next call begin at once, which finds what this one made unseen. */
export async function endMaking(db: Db, row: GitFeedbackRow, begunAt: Date): Promise<void> {
  await db
    .update(gitFeedback)
    .set({ checkAttemptedAt: new Date(begunAt.getTime() - makingMs) })
    .where(and(one(row), eq(gitFeedback.checkAttemptedAt, begunAt)))
}

/** Whether so much is left of the time for it that a request which begins now ends within it. */
export const mayMake = (begunAt: Date, now: Date): boolean => now.getTime() - begunAt.getTime() < makingMs / 2
