import { commitUrls } from '../../git/code-sources/commit-urls.ts'
import { type Author, serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { applyPlan, type Planned } from '../project-files/apply.ts'
import type { FileProblem } from '../source-text/fault.ts'
import { digestOf, shareOf } from './digest.ts'
import { foundChanges, foundFaults, foundNothing } from './found.ts'
import { decide, nextSyncAt, retryAt } from './machine.ts'
import { CannotBeWatched, type OpenedRepository, openWatched, planCommit, type WatchedParts } from './plan.ts'
import { problemOf } from './problems.ts'
import { dueBy, findWatchedOf, isUnchanged, saveSync, type WatchedChanges } from './store.ts'
import type { WatchedRepositoryRow } from './tables.ts'
import { toWatched } from './wake.ts'

/** Thrown if the repository changed during a pass, so that its results are outdated. */
class Outdated extends Error {
  override name = 'Overtaken'
}

/** Thrown when a pass has used its time for applying changes; the next one continues. */
class OutOfTime extends Error {
  override name = 'TimeIsUp'
}

/**
 * Maximum time in milliseconds for which one pass applies changes. The engine considers a handler that is silent for a
 * minute as failed.
 */
const maxApplyMs = 30_000

/**
 * Makes a pass over a watched repository: finds the newest commit of the branch, plans its files, and applies the plan
 * as far as configured. Decisions are stored in the row before their execution, so that the next pass can resume. It
 * plans again, so that no change is applied twice.
 */
export async function syncWatchedRepository(parts: WatchedParts, id: string): Promise<Message[]> {
  const { db, clock, log } = parts
  const row = await findWatchedOf(db, id)
  if (!row?.dueAt || row.dueAt > clock()) return []
  if (await isEnding(db, row.organizationId)) return rest(parts, row, {})
  try {
    return await sync(parts, row)
  } catch (error) {
    if (error instanceof Outdated) return [toWatched(id)]
    if (error instanceof OutOfTime) return [toWatched(id)] // it is still due
    const known = problemOf(error)
    if (!known) log.error({ err: error, watchedRepositoryId: id }, 'a watched repository could not be checked')
    const { message, afterMs } = known ?? { message: 'The service failed: its log says why.', afterMs: 0 }
    return failed(parts, row, message, afterMs)
  }
}

async function failed(
  parts: WatchedParts,
  row: WatchedRepositoryRow,
  message: string,
  afterMs: number | undefined,
): Promise<Message[]> {
  const failures = row.failures + 1
  const again = afterMs === undefined ? undefined : retryAt(failures, parts.clock(), afterMs)
  parts.log.info({ watchedRepositoryId: row.id, failures, reason: message }, 'a watched repository was not checked')
  const isWaiting = row.status === 'PLANNING' || row.status === 'APPLYING'
  if (again) return save(parts, row, { ...(isWaiting && { message }), failures, ...dueBy(again) })
  // The approver sees the rest of the plan before it is applied.
  return rest(parts, row, { status: 'FAILED', message, approvedDigest: null, approvedBy: null })
}

/** Waits for the next event or the next scheduled pass. */
const rest = (parts: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges): Promise<Message[]> =>
  save(parts, row, { failures: 0, ...changes, ...dueBy(nextSyncAt(shareOf(row.id), parts.clock())) })

async function save({ db }: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges): Promise<Message[]> {
  return (await saveSync(db, row, changes)) ? [] : [toWatched(row.id)]
}

async function expectSaved({ db }: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges) {
  if (!(await saveSync(db, row, changes))) throw new Outdated()
}

/** Awaits all work here, because the service account's credential is valid only until the end of this function. */
async function sync(parts: WatchedParts, before: WatchedRepositoryRow): Promise<Message[]> {
  const opened = await openWatched(parts, before)
  const row = await atNewest(parts, before, opened)
  const { commit } = row
  const made = await planCommit(opened, row, commit)
  if ('faults' in made) return faulty(parts, row, made.faults)
  const { changes } = made.plan
  const digest = digestOf(commit, changes)
  const planned = {
    plannedAt: parts.clock(),
    plan: foundChanges(changes),
    planDigest: digest ?? null,
    changeCount: changes.length,
    faultCount: 0,
  }
  const decision = decide(row, { commit, digest, changes })
  switch (decision.do) {
    case 'rest':
      return await recordInSync(parts, { row, opened, planned: made }, planned)
    case 'show':
      return await reportDrift(parts, row, planned)
    case 'ask':
      return rest(parts, row, {
        status: 'PENDING_APPROVAL',
        message: messageOfLastApply(row),
        ...planned,
        approvedDigest: null,
        approvedBy: null,
      })
    case 'apply': {
      const only = { ...made, plan: { ...made.plan, changes: decision.changes } }
      return await apply(parts, { row, opened, planned: only }, planned)
    }
  }
}

/** Returns the message of the last failed apply, which helps the approver of the rest. */
const messageOfLastApply = ({ status, message }: WatchedRepositoryRow): string | null =>
  status === 'FAILED' || status === 'PENDING_APPROVAL' ? message : null

type AtCommit = WatchedRepositoryRow & { commit: string }

/** Updates the row to the current commit of the branch. A new commit invalidates an approval. */
async function atNewest(
  parts: WatchedParts,
  row: WatchedRepositoryRow,
  { repository }: OpenedRepository,
): Promise<AtCommit> {
  const { items } = await repository.refs('BRANCH')
  const commit = items.find(({ name }) => name === row.branch)?.commit
  if (commit === undefined) throw new CannotBeWatched(`The repository has no branch ${row.branch}.`)
  if (commit === row.commit) return { ...row, commit }
  const anew = {
    commit,
    status: 'PLANNING' as const,
    message: null,
    approvedDigest: null,
    approvedBy: null,
    planDigest: null,
    changeCount: 0,
    faultCount: 0,
    plan: foundNothing,
  }
  await expectSaved(parts, row, anew)
  return { ...row, ...anew }
}

function faulty(parts: WatchedParts, row: WatchedRepositoryRow, faults: FileProblem[]): Promise<Message[]> {
  return rest(parts, row, {
    status: 'INVALID',
    message: null,
    plannedAt: parts.clock(),
    plan: foundFaults(faults),
    planDigest: null,
    changeCount: 0,
    faultCount: faults.length,
    approvedDigest: null,
    approvedBy: null,
  })
}

/** Reports drift once, until everything matches the files again. */
async function reportDrift(parts: WatchedParts, row: AtCommit, planned: WatchedChanges): Promise<Message[]> {
  const { id, organizationId, commit } = row
  const isNews = row.status !== 'DRIFTED' && row.planDigest !== planned.planDigest
  const standing = { status: 'DRIFTED' as const, message: null, failures: 0, ...planned }
  const isSaved = await parts.db.transaction(async (tx) => {
    if (!(await saveSync(tx, row, { ...standing, ...dueBy(nextSyncAt(shareOf(id), parts.clock())) }))) return false
    if (!isNews) return true
    const change = { action: 'watched-repositories.find-drift', resourceType: 'watched-repository', resourceId: id }
    const details = { commit, changes: planned.changeCount }
    await recordChange(tx, authorOfWatched(organizationId), { ...change, of: row, details })
    return true
  })
  return isSaved ? [] : [toWatched(id)]
}

type Applying = { row: AtCommit; opened: OpenedRepository; planned: Planned }

/** Records the first time that the project matches a commit. From then on the files manage the project. */
async function recordInSync(parts: WatchedParts, applying: Applying, planned: WatchedChanges): Promise<Message[]> {
  const { row } = applying
  const { commit, appliedCommit } = row
  const isNew = appliedCommit !== commit
  if (isNew) await applyPlanned(parts, applying)
  const applied = isNew ? { appliedCommit: commit, appliedAt: parts.clock() } : {}
  const agreed = { approvedDigest: null, approvedBy: null }
  return rest(parts, row, { status: 'APPLIED', message: null, ...planned, ...applied, ...agreed })
}

async function apply(parts: WatchedParts, applying: Applying, planned: WatchedChanges): Promise<Message[]> {
  const { row } = applying
  if (row.status !== 'APPLYING') await begin(parts, applying, planned)
  await applyPlanned(parts, applying)
  // The next pass checks whether everything matches the files now.
  const done = { appliedCommit: row.commit, appliedAt: parts.clock(), approvedDigest: null, approvedBy: null }
  await expectSaved(parts, row, { status: 'PLANNING', message: null, failures: 0, ...done, ...dueBy(parts.clock()) })
  return [toWatched(row.id)]
}

/** Stores what is about to be applied. */
async function begin({ db }: WatchedParts, { row, planned }: Applying, found: WatchedChanges): Promise<void> {
  const { organizationId, id, commit, approvedBy } = row
  await db.transaction(async (tx) => {
    const isSaved = await saveSync(tx, row, { status: 'APPLYING', message: null, ...found })
    if (!isSaved) throw new Outdated()
    const details = { commit, changes: planned.plan.changes.length, ...(approvedBy !== null && { approvedBy }) }
    const change = { action: 'watched-repositories.apply-files', resourceType: 'watched-repository', resourceId: id }
    await recordChange(tx, authorOfWatched(organizationId), { ...change, of: row, details })
  })
}

const authorOfWatched = (organizationId: string): Author => ({
  ...serviceAuthor(organizationId),
  actorId: 'watched-repositories',
  actorName: 'Watched repositories',
})

/** Short, because the next pass retries; a CI job that applies waits longer. */
const patience = { forMs: 5_000 }

async function applyPlanned(parts: WatchedParts, { row, opened, planned }: Applying): Promise<void> {
  const { db, clock, log, linkTo, hosts } = parts
  const { client, source } = opened
  const urlOf = await commitUrls(db, hosts, row.organizationId, [source])
  const untilMs = clock().getTime() + maxApplyMs
  let trouble = ''
  try {
    await applyPlan(planned, client, {
      runStacks: row.runStacks,
      url: linkTo('').replace(/\/console\/$/, ''),
      patience,
      source: { commit: row.commit, url: urlOf(source, row.commit) },
      say: (line) => log.debug({ watchedRepositoryId: row.id }, line),
      warn: (line) => {
        trouble = line
      },
      async expectToGoOn() {
        if (!(await isUnchanged(db, row))) throw new Outdated()
        if (clock().getTime() > untilMs) throw new OutOfTime()
      },
    })
  } catch (error) {
    const known = problemOf(error)
    if (known?.afterMs !== undefined || !known) throw error
    throw new CannotBeWatched(`${trouble.replace(/ Apply again to go on\.$/, '')} ${known.message}`.trim())
  }
}
