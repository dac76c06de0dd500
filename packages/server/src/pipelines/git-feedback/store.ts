import { rehearsals, scenariosWithoutTimelines } from '../../delivery/rehearsals/tables.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { iacPlans } from '../iac-plans/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../pipelines/tables.ts'
import { type GitFeedbackRow, gitFeedback } from './tables.ts'
import { feedbackMessages, feedbackService } from './wake.ts'

/** Stores that runs must be reported to the host of a code source. Skips public repositories without credentials. */
export async function startStatusReports(
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
    // The IDs include older runs that were cancelled to make room in the queue. They have rows already, or were not
    // started by a push.
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

/**
 * Stores that one run must be reported, regardless of its trigger; the reconciler sends it. An existing row stays
 * unchanged.
 */
export async function startStatusReportsOfRun(
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

/** Reports the retry of a run that was reported, replacing its status; the reconciler sends it. */
export async function moveFeedbackToRetry(
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

/** Reports the runs of a commit again. */
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

const isUnreported: SQL = sql`${gitFeedback.toldStatus} is distinct from ${pipelineRuns.status}`

/** Finds runs whose status differs from the last reported one and returns their messages. */
export const dueFeedback = overdueIn(gitFeedback, {
  service: feedbackService,
  key: gitFeedback.pipelineId,
  messagesOf: feedbackMessages,
  graceMs: 0,
  where: sql`exists (select 1 from ${pipelineRuns}
    where ${eq(pipelineRuns.id, gitFeedback.pipelineRunId)} and ${isUnreported})`,
})

/** Loads unreported runs for the engine's handler, by pipeline id. */
export async function loadUnreported(db: Db, pipelineId: string, ids: string[]) {
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
        isUnreported,
      ),
    )
}

export type UnreportedRun = Awaited<ReturnType<typeof loadUnreported>>[number]

/** Returns the plans of a run with their stacks. */
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

/** Returns the finished rehearsals of a run with their module instances. */
export function rehearsalsOf(
  db: Db,
  { organizationId, pipelineRunId }: Pick<GitFeedbackRow, 'organizationId' | 'pipelineRunId'>,
) {
  const { id, stepExecutionId, status } = rehearsals
  return db
    .selectDistinctOn([stepExecutionId], {
      instance: moduleInstances.name,
      status,
      scenarios: scenariosWithoutTimelines,
    })
    .from(rehearsals)
    .innerJoin(pipelineStepExecutions, eq(pipelineStepExecutions.id, stepExecutionId))
    .innerJoin(moduleInstances, eq(moduleInstances.id, rehearsals.moduleInstanceId))
    .where(
      and(
        eq(rehearsals.organizationId, organizationId),
        eq(pipelineStepExecutions.pipelineRunId, pipelineRunId),
        isNotNull(rehearsals.completedAt),
      ),
    )
    .orderBy(stepExecutionId, desc(id)) // the latest attempt of each step
}

export type RehearsalOfRun = Awaited<ReturnType<typeof rehearsalsOf>>[number]

/** Results of a run's steps that are shown at the Git host. */
export type RunResults = { plans: PlanOfRun[]; rehearsals: RehearsalOfRun[] }

const one = ({ organizationId, id }: GitFeedbackRow) =>
  and(eq(gitFeedback.organizationId, organizationId), eq(gitFeedback.id, id))

/** Stores the result of a report. */
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
 * Reports whether the pipeline has statuses at the commit. A check with the same name would be added beside them, and
 * they would never change again. Old versions, which used only statuses, did not record this.
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

/** Lease duration in milliseconds: longer than the requests of one call take, each with a timeout of 10 s. */
const creationLeaseMs = 120_000

/** Leases the creation of a run's check. Returns false if another call has the lease or has created the check. */
export async function leaseCheckCreation(db: Db, row: GitFeedbackRow, now: Date): Promise<boolean> {
  const { checkId, checkAttemptedAt: at } = gitFeedback
  const isFree = or(isNull(at), lte(at, new Date(now.getTime() - creationLeaseMs)))
  // An unresolved earlier attempt must be looked up first, so it has to be the one that was read.
  const isKnown = row.checkAttemptedAt === null ? isNull(at) : eq(at, row.checkAttemptedAt)
  const begun = await db
    .update(gitFeedback)
    .set({ checkAttemptedAt: now })
    .where(and(one(row), isNull(checkId), isKnown, isFree))
    .returning({ id: gitFeedback.id })
  return begun.length > 0
}

/** Releases the lease, so that the next call can start at once and look for the check. */
export async function endCheckCreation(db: Db, row: GitFeedbackRow, begunAt: Date): Promise<void> {
  await db
    .update(gitFeedback)
    .set({ checkAttemptedAt: new Date(begunAt.getTime() - creationLeaseMs) })
    .where(and(one(row), eq(gitFeedback.checkAttemptedAt, begunAt)))
}

/** Reports whether enough of the lease is left for a request that starts now. */
export const canCreateInTime = (begunAt: Date, now: Date): boolean =>
  now.getTime() - begunAt.getTime() < creationLeaseMs / 2
