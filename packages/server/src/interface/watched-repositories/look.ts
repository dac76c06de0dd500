import { commitUrls } from '../../git/code-sources/commit-urls.ts'
import { type Author, theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { applyPlan, type Planned } from '../project-files/apply.ts'
import type { Fault } from '../source-text/fault.ts'
import { digestOf, shareOf } from './digest.ts'
import { foundChanges, foundFaults, foundNothing } from './found.ts'
import { decide, nextLook, retryAt } from './machine.ts'
import { CannotBeWatched, type Opened, openWatched, planAt, type WatchedParts } from './plan.ts'
import { dueBy, findWatchedOf, isStill, saveLook, type WatchedChanges } from './store.ts'
import type { WatchedRepositoryRow } from './tables.ts'
import { troubleOf } from './trouble.ts'
import { toWatched } from './wake.ts'

/** It was told something, or changed, meanwhile: what was found out is of yesterday. */
class Overtaken extends Error {
  override name = 'Overtaken'
}

/** An apply has had its time: the next look goes on with what is left. */
class TimeIsUp extends Error {
  override name = 'TimeIsUp'
}

/** How long one look makes changes: the engine takes a handler that is silent for a minute for dead. Milliseconds. */
const applyingMs = 30_000

/**
 * Does what can be done now about a watched repository: finds the newest commit of the branch, plans its files, and
 * applies them as far as they are to be. The row says what was decided before anything is done, so that the next look
 * goes on from there; what is left is found by planning anew, so that nothing is done twice.
 */
export async function lookAtWatched(parts: WatchedParts, id: string): Promise<Message[]> {
  const { db, clock, log } = parts
  const row = await findWatchedOf(db, id)
  if (!row?.dueAt || row.dueAt > clock()) return []
  if (await isEnding(db, row.organizationId)) return rest(parts, row, {})
  try {
    return await look(parts, row)
  } catch (error) {
    if (error instanceof Overtaken) return [toWatched(id)]
    if (error instanceof TimeIsUp) return [toWatched(id)] // it is still due
    const known = troubleOf(error)
    if (!known) log.error({ err: error, watchedRepositoryId: id }, 'a watched repository could not be looked at')
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
  parts.log.info({ watchedRepositoryId: row.id, failures, reason: message }, 'a watched repository was not looked at')
  const isWaiting = row.status === 'PLANNING' || row.status === 'APPLYING'
  if (again) return save(parts, row, { ...(isWaiting && { message }), failures, ...dueBy(again) })
  // Whoever agreed sees what is left of it before it is done.
  return rest(parts, row, { status: 'FAILED', message, approvedDigest: null, approvedBy: null })
}

/** Nothing more is to be done before somebody tells of something, or the next look. */
const rest = (parts: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges): Promise<Message[]> =>
  save(parts, row, { failures: 0, ...changes, ...dueBy(nextLook(shareOf(row.id), parts.clock())) })

async function save({ db }: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges): Promise<Message[]> {
  return (await saveLook(db, row, changes)) ? [] : [toWatched(row.id)]
}

async function expectSaved({ db }: WatchedParts, row: WatchedRepositoryRow, changes: WatchedChanges) {
  if (!(await saveLook(db, row, changes))) throw new Overtaken()
}

/** What acts for the service account is awaited here: with the end of this it may no more. */
async function look(parts: WatchedParts, before: WatchedRepositoryRow): Promise<Message[]> {
  const opened = await openWatched(parts, before)
  const row = await atNewest(parts, before, opened)
  const { commit } = row
  const made = await planAt(opened, row, commit)
  if ('faults' in made) return faulty(parts, row, made.faults)
  const { changes } = made.plan
  const digest = digestOf(commit, changes)
  const planned = {
    ...{ plannedAt: parts.clock(), plan: foundChanges(changes), planDigest: digest ?? null },
    ...{ changeCount: changes.length, faultCount: 0 },
  }
  const decision = decide(row, { commit, digest, changes })
  switch (decision.do) {
    case 'rest':
      return await inForce(parts, { row, opened, planned: made }, planned)
    case 'show':
      return await drifted(parts, row, planned)
    case 'ask':
      return rest(parts, row, {
        ...{ status: 'PENDING_APPROVAL', message: stillTold(row), ...planned },
        ...{ approvedDigest: null, approvedBy: null },
      })
    case 'apply': {
      const only = { ...made, plan: { ...made.plan, changes: decision.changes } }
      return await apply(parts, { row, opened, planned: only }, planned)
    }
  }
}

/** Why the last apply ended where it did is worth knowing for whoever agrees to the rest. */
const stillTold = ({ status, message }: WatchedRepositoryRow): string | null =>
  status === 'FAILED' || status === 'PENDING_APPROVAL' ? message : null

type AtCommit = WatchedRepositoryRow & { commit: string }

/** The row with the commit that the branch stands for now. What was agreed to for another one counts no more. */
async function atNewest(parts: WatchedParts, row: WatchedRepositoryRow, { repository }: Opened): Promise<AtCommit> {
  const { items } = await repository.refs('BRANCH')
  const commit = items.find(({ name }) => name === row.branch)?.commit
  if (commit === undefined) throw new CannotBeWatched(`The repository has no branch ${row.branch}.`)
  if (commit === row.commit) return { ...row, commit }
  const anew = {
    ...{ commit, status: 'PLANNING' as const, message: null, approvedDigest: null, approvedBy: null },
    ...{ planDigest: null, changeCount: 0, faultCount: 0, plan: foundNothing },
  }
  await expectSaved(parts, row, anew)
  return { ...row, ...anew }
}

function faulty(parts: WatchedParts, row: WatchedRepositoryRow, faults: Fault[]): Promise<Message[]> {
  return rest(parts, row, {
    ...{ status: 'INVALID', message: null, plannedAt: parts.clock(), plan: foundFaults(faults) },
    ...{ planDigest: null, changeCount: 0, faultCount: faults.length, approvedDigest: null, approvedBy: null },
  })
}

/** What was changed otherwise is told of once, until all is as the files say again. */
async function drifted(parts: WatchedParts, row: AtCommit, planned: WatchedChanges): Promise<Message[]> {
  const { id, organizationId, commit } = row
  const isNews = row.status !== 'DRIFTED' && row.planDigest !== planned.planDigest
  const standing = { status: 'DRIFTED' as const, message: null, failures: 0, ...planned }
  const isSaved = await parts.db.transaction(async (tx) => {
    if (!(await saveLook(tx, row, { ...standing, ...dueBy(nextLook(shareOf(id), parts.clock())) }))) return false
    if (!isNews) return true
    const change = { action: 'watched-repositories.find-drift', resourceType: 'watched-repository', resourceId: id }
    const details = { commit, changes: planned.changeCount }
    await recordChange(tx, authorOfWatched(organizationId), { ...change, of: row, details })
    return true
  })
  return isSaved ? [] : [toWatched(id)]
}

type Applying = { row: AtCommit; opened: Opened; planned: Planned }

/** What is in force at a commit for the first time is noted: from there on the project is managed by files. */
async function inForce(parts: WatchedParts, applying: Applying, planned: WatchedChanges): Promise<Message[]> {
  const { row } = applying
  const { commit, appliedCommit } = row
  const isNew = appliedCommit !== commit
  if (isNew) await carryOut(parts, applying)
  const applied = isNew ? { appliedCommit: commit, appliedAt: parts.clock() } : {}
  const agreed = { approvedDigest: null, approvedBy: null }
  return rest(parts, row, { status: 'APPLIED', message: null, ...planned, ...applied, ...agreed })
}

async function apply(parts: WatchedParts, applying: Applying, planned: WatchedChanges): Promise<Message[]> {
  const { row } = applying
  if (row.status !== 'APPLYING') await begin(parts, applying, planned)
  await carryOut(parts, applying)
  // Whether all is as the files say now, the next look finds out.
  const done = { appliedCommit: row.commit, appliedAt: parts.clock(), approvedDigest: null, approvedBy: null }
  await expectSaved(parts, row, { status: 'PLANNING', message: null, failures: 0, ...done, ...dueBy(parts.clock()) })
  return [toWatched(row.id)]
}

/** What is going to be done is written down before it is. */
async function begin({ db }: WatchedParts, { row, planned }: Applying, found: WatchedChanges): Promise<void> {
  const { organizationId, id, commit, approvedBy } = row
  await db.transaction(async (tx) => {
    const isSaved = await saveLook(tx, row, { status: 'APPLYING', message: null, ...found })
    if (!isSaved) throw new Overtaken()
    const details = { commit, changes: planned.plan.changes.length, ...(approvedBy !== null && { approvedBy }) }
    const change = { action: 'watched-repositories.apply-files', resourceType: 'watched-repository', resourceId: id }
    await recordChange(tx, authorOfWatched(organizationId), { ...change, of: row, details })
  })
}

const authorOfWatched = (organizationId: string): Author => ({
  ...theService(organizationId),
  actorId: 'watched-repositories',
  actorName: 'Watched repositories',
})

/** Whoever applies from a job waits for the service; here the next look does. */
const patience = { forMs: 5_000 }

async function carryOut(parts: WatchedParts, { row, opened, planned }: Applying): Promise<void> {
  const { db, clock, log, linkTo, hosts } = parts
  const { client, source } = opened
  const urlOf = await commitUrls(db, hosts, row.organizationId, [source])
  const untilMs = clock().getTime() + applyingMs
  let trouble = ''
  try {
    await applyPlan(planned, client, {
      ...{ runStacks: row.runStacks, url: linkTo('').replace(/\/console\/$/, ''), patience },
      source: { commit: row.commit, url: urlOf(source, row.commit) },
      say: (line) => log.debug({ watchedRepositoryId: row.id }, line),
      warn: (line) => {
        trouble = line
      },
      async expectToGoOn() {
        if (!(await isStill(db, row))) throw new Overtaken()
        if (clock().getTime() > untilMs) throw new TimeIsUp()
      },
    })
  } catch (error) {
    const known = troubleOf(error)
    if (known?.afterMs !== undefined || !known) throw error
    throw new CannotBeWatched(`${trouble.replace(/ Apply again to go on\.$/, '')} ${known.message}`.trim())
  }
}
