import type { Logger } from 'pino'
import { type KnownCommits, sourcesOf } from '../../delivery/deployments/representation/sources.ts'
import type { HostedRepository } from '../../git/adapter/host.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { failureOf } from '../../git/code-sources/report-failure.ts'
import { findCodeSource, findCodeSourceAt } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  endLease,
  findUnreported,
  isLeaseLongEnough,
  leaseCreation,
  lockReplacement,
  lockStatus,
  replaceEarlier,
  saveRelease,
  takenIds,
  type UnreportedRelease,
} from './store.ts'
import { factsOf, mustReport, statusOf, wantedStatus } from './texts.ts'

export interface GitReleaseParts extends OpenParts {
  db: Db
  clock: () => Date
  log: Logger
  knownCommits: KnownCommits
  /** Returns the console address of a deployment. */
  linkToDeployment: (deploymentId: string) => string
}

/** Maximum number of failed attempts, at least half a minute apart, before reporting is given up. */
const maxFailures = 20

/**
 * Reports releases of an environment to Git hosts, in their order. An error with one release does not affect the
 * others.
 */
export async function reportReleases(parts: GitReleaseParts, environmentId: string, ids: string[]): Promise<void> {
  for (const id of ids.toSorted()) {
    const untold = await findUnreported(parts.db, environmentId, id)
    if (untold) await reportWithRetry(parts, untold)
  }
}

async function reportWithRetry(parts: GitReleaseParts, untold: UnreportedRelease): Promise<void> {
  const { db, clock, log } = parts
  const { row } = untold
  let isDone = true
  const trouble = await failureOf(async () => {
    isDone = await reportRelease(parts, untold)
  })
  if (!isDone) return // reported by the call with the lease or, if that crashed, by a later one
  if (!trouble) return saveReported(db, untold, clock())
  const { message: reason, afterMs } = trouble
  const failures = row.failures + 1
  const isOver = afterMs === undefined || failures >= maxFailures
  const wakeAt = isOver ? null : new Date(clock().getTime() + afterMs)
  await saveRelease(db, row, { failures, wakeAt, ...(isOver && { failure: reason }) })
  log.info({ deploymentId: row.id, failures, isOver, reason }, 'a release could not be reported to the git host')
}

/** Stores the reported status and, after a success, that it replaced the previous release, in one transaction. */
async function saveReported(db: Db, untold: UnreportedRelease, now: Date): Promise<void> {
  const toldStatus = wantedStatus(untold)
  await db.transaction(async (tx) => {
    // A later change schedules its own report; a concurrent one has done so already.
    const isStill = (await lockStatus(tx, untold)) === untold.deployment.status
    const isSame = (await lockReplacement(tx, untold.row)) === untold.row.isReplaced
    if (toldStatus === 'SUCCESS') await replaceEarlier(tx, untold, now)
    await saveRelease(tx, untold.row, { toldStatus, failures: 0, wakeAt: isStill && isSame ? null : now })
  })
}

/** Returns false if another call is creating the host's record. */
async function reportRelease(parts: GitReleaseParts, untold: UnreportedRelease): Promise<boolean> {
  if (!mustReport(untold)) return true
  const place = await placeOf(parts, untold)
  if (!place) return true
  const repository = await openRepository(parts.db, parts, place.source)
  const hostId = untold.row.hostId ?? (await create(parts, untold, place, repository))
  if (hostId === undefined) return false
  await repository.setReleaseStatus(hostId, statusOf(untold, parts.linkToDeployment(untold.row.id)))
  return true
}

type Place = { source: CodeSourceRow; commit: string }

/** Matches a full commit id, which Git hosts require. */
const wholeCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * Returns the released commit and its connected repository, if both are known. Skips public repositories without
 * credentials. A stored value never changes, so that a retry finds the record that it created.
 */
async function placeOf(
  { db, knownCommits }: GitReleaseParts,
  { row, deployment }: UnreportedRelease,
): Promise<Place | undefined> {
  if (row.commit !== null) {
    const source =
      row.codeSourceId === null ? undefined : await findCodeSource(db, row.organizationId, row.codeSourceId)
    return source && { source, commit: row.commit }
  }
  const { commit, repository } = (await sourcesOf(db, row.organizationId, [deployment], knownCommits))(deployment)
  if (commit === undefined || !wholeCommit.test(commit) || repository === undefined) return undefined
  const source = await findCodeSourceAt(db, row.organizationId, repository)
  return source && source.auth.kind !== 'none' ? { source, commit } : undefined
}

/**
 * Creates the host's record of a release unless it exists, because the response to an earlier attempt may have been
 * lost. Returns undefined if another call is creating it.
 */
async function create(
  parts: GitReleaseParts,
  untold: UnreportedRelease,
  { source, commit }: Place,
  repository: HostedRepository,
): Promise<string | undefined> {
  const { db, clock } = parts
  const row = await leaseCreation(db, untold.row, clock())
  if (!row) return undefined
  try {
    return await createClaimed(parts, { ...untold, row }, { source, commit }, repository)
  } catch (error) {
    await endLease(db, row) // the retry need not wait for the lease
    throw error
  }
}

async function createClaimed(
  { db, clock }: GitReleaseParts,
  untold: UnreportedRelease,
  { source, commit }: Place,
  repository: HostedRepository,
): Promise<string | undefined> {
  const { row } = untold
  const facts = factsOf(untold, commit)
  let known: string | undefined
  if (row.attemptedAt === null) {
    await saveRelease(db, row, { commit, codeSourceId: source.id, attemptedAt: clock() })
  } else {
    const found = await repository.findReleases(facts, row.attemptedAt)
    const taken = await takenIds(db, row, source.id, found)
    known = found.find((id) => !taken.has(id))
  }
  if (known === undefined && !isLeaseLongEnough(row, clock())) return undefined // it took too long
  const hostId = known ?? (await repository.createRelease(facts))
  await saveRelease(db, row, { hostId, claimedUntil: null })
  return hostId
}
