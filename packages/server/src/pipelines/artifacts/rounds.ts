import type { Logger } from 'pino'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import { daysBefore } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import { deleteArtifact } from './delete.ts'
import { locationOf } from './location.ts'
import { messageFor } from './marks.ts'
import { type Retention, retentionReasonsOf } from './needs.ts'
import {
  beginRemovals,
  cancelRemovals,
  isSharedLocation,
  listBegun,
  listOld,
  recordRemovalFailure,
  recordRemoved,
} from './removals.ts'
import { endLease, isLeaseValid, leaseRetention, nextRetryAt } from './retention.ts'
import type { ArtifactRetentionRow, ArtifactRow } from './tables.ts'

export type RemovalParts = {
  /**
   * Connection to all organizations: to find the next one that is due, and others with artifacts at the same location.
   */
  db: Db
  /** Connection to the data of one organization. */
  ofOrganization: (organizationId: string) => Db
  cloud: Cloud
  clock: () => Date
  log: Logger
  stopping?: AbortSignal
}

/** Duration of a lease. No request is sent after its end, because another process may have the lease by then. */
const leaseMs = 10 * 60_000
/** Time before the end of a lease at which the last request may be sent. */
const lastRequestMs = 60_000

/** Maximum number of artifacts that are read, started and removed per statement or round. */
const limits = { read: 200, begun: 10, removed: 50 }

/** Interval between two removals in an organization. */
const dayMs = 24 * 3_600_000

/** Returns the delay before the next try after this many failures. */
const backOff = (failures: number): number => Math.min(15 * 60_000 * 2 ** failures, dayMs)

const later = (now: Date, ms: number) => new Date(now.getTime() + ms)

/** Removes due artifacts of all organizations, a part of each in turn. Returns the number of removed artifacts. */
export async function removeDue(parts: RemovalParts): Promise<number> {
  for (let removed = 0; ; ) {
    if (parts.stopping?.aborted) return removed
    const now = parts.clock()
    const claimed = await leaseRetention(parts.db, now, later(now, leaseMs))
    if (!claimed) return removed
    removed += await new RemovalRound(parts, claimed, now).carryOut()
  }
}

/** Thrown at the end of a lease or on shutdown. The next process continues, with the settings of that time. */
class OutOfTime extends Error {}

/** One removal round in an organization. */
class RemovalRound {
  readonly #parts: RemovalParts
  readonly #claimed: ArtifactRetentionRow
  readonly #now: Date
  readonly #db: Db
  #removed = 0
  /** Buckets and repositories that rejected a request. The cleanup skips them for the rest of this pass. */
  readonly #refused = new Set<string>()

  constructor(parts: RemovalParts, claimed: ArtifactRetentionRow, now: Date) {
    this.#parts = parts
    this.#claimed = claimed
    this.#now = now
    this.#db = parts.ofOrganization(claimed.organizationId)
  }

  async carryOut(): Promise<number> {
    const { organizationId, isEnabled } = this.#claimed
    if (await isEnding(this.#db, organizationId)) {
      await endLease(this.#parts.db, this.#claimed, later(this.#now, dayMs))
      return 0
    }
    let hasMore = false
    try {
      for (const row of await listBegun(this.#db, organizationId, this.#now, limits.removed)) {
        await this.#remove([row], { isComplete: false })
      }
      if (isEnabled) hasMore = await this.#begin()
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
      hasMore = true
    }
    await endLease(this.#parts.db, this.#claimed, await this.#next(hasMore))
    return this.#removed
  }

  async #next(hasMore: boolean): Promise<Date | null> {
    if (hasMore) return this.#parts.clock()
    const again = await nextRetryAt(this.#db, this.#claimed.organizationId)
    if (!this.#claimed.isEnabled) return again
    const usual = later(this.#now, dayMs * (0.9 + 0.1 * Math.random())) // random, to spread organizations
    return again !== null && again < usual ? again : usual
  }

  /** Removes unreferenced artifacts up to the maximum of a round. Returns whether there may be more. */
  async #begin(): Promise<boolean> {
    const { organizationId, keepDays, keepLatest } = this.#claimed
    const retention: Retention = { keepLatest, since: daysBefore(this.#now, keepDays) }
    let needs: Awaited<ReturnType<typeof retentionReasonsOf>> | undefined
    for (let after = ''; ; ) {
      const page = { since: retention.since, now: this.#now, after, most: limits.read }
      const old = await listOld(this.#db, organizationId, page)
      const last = old.at(-1)
      if (!last) return false
      needs ??= await retentionReasonsOf(this.#db, organizationId, retention)
      const unneeded = old.filter((row) => needs?.keeping(row) === undefined)
      for (const together of byStore(unneeded)) {
        await this.#removeTogether(together, retention)
        if (this.#removed >= limits.removed) return true
      }
      after = last.id
    }
  }

  /** Removes artifacts of one bucket or repository. After a rejected request, the others there are skipped. */
  async #removeTogether(rows: readonly ArtifactRow[], retention: Retention): Promise<void> {
    const { organizationId, keepDays, keepLatest } = this.#claimed
    const own: ArtifactRow[] = []
    for (const row of rows) if (!this.#isRefused(row) && !(await isSharedLocation(this.#parts.db, row))) own.push(row)
    if (own.length === 0) return
    this.#expectTime()
    // The settings have changed, and the new ones apply from now on.
    if (!(await isLeaseValid(this.#db, this.#claimed))) throw new OutOfTime()
    const reason = `${messageFor(undefined)} Kept are ${keepDays} days, and the last ${keepLatest} of each instance.`
    // After a crash from here on, the artifacts are marked as being removed, and the next process continues.
    const how = { retention, reason, now: this.#now, tryAt: this.#parts.clock() }
    const begun = await beginRemovals(this.#db, organizationId, own, how)
    for (const same of Map.groupBy(begun, locationOf).values()) {
      if (same.some((row) => this.#isRefused(row))) await cancelRemovals(this.#db, organizationId, same)
      else await this.#remove(same, { isComplete: true })
    }
  }

  /** Removes the artifact at one location, which several records may share. */
  async #remove(rows: readonly ArtifactRow[], { isComplete }: { isComplete: boolean }): Promise<void> {
    const [row] = rows
    if (!row) return
    const { db, cloud, clock, log } = { ...this.#parts, db: this.#db }
    let isTouched = !isComplete
    try {
      const account = await findCloudConnection(db, row.organizationId, row.cloudAccountId)
      if (!account)
        throw new CloudPermanentError('NotConnected', `The cloud account ${row.cloudAccountId} is not connected.`)
      const touched = () => {
        isTouched = true
      }
      const expectTime = () => this.#expectTime()
      await deleteArtifact(cloud.clientsFor(account, row.region), row, { beforeSend: expectTime, touched })
      await recordRemoved(db, rows, clock())
      this.#removed += rows.length
    } catch (error) {
      if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
      this.#refused.add(storeOf(row))
      const tryAt = later(clock(), backOff(row.removalFailures))
      // After a lost response, the deletion may have happened.
      const isStillWhole = !isTouched && error instanceof CloudPermanentError
      await recordRemovalFailure(db, rows, { message: error.message, isComplete: isStillWhole, tryAt })
      log.warn({ artifact: row.id, reason: error.message }, 'an artifact could not be removed; later again')
    }
  }

  #isRefused(row: ArtifactRow): boolean {
    return this.#refused.has(storeOf(row))
  }

  #expectTime(): void {
    const { clock, stopping } = this.#parts
    if (stopping?.aborted || clock().getTime() > this.#now.getTime() + leaseMs - lastRequestMs) throw new OutOfTime()
  }
}

/** Returns the key of the artifact's bucket or repository. */
const storeOf = ({ cloudAccountId, kind, bucket, key }: ArtifactRow): string =>
  [cloudAccountId, bucket, ...(kind === 'image' ? [key] : [])].join(' ')

/** Groups artifacts by bucket or repository, in batches. */
const byStore = (rows: readonly ArtifactRow[]): ArtifactRow[][] =>
  [...Map.groupBy(rows, storeOf).values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / limits.begun) }, (_, nth) =>
      all.slice(nth * limits.begun, (nth + 1) * limits.begun),
    ),
  )

/** Starts a periodic task that removes artifacts of due organizations every `everyMs`. */
export function startRemoving(parts: RemovalParts, everyMs = 5_000): PeriodicTask {
  const stopping = new AbortController()
  const rounds = startPeriodicTask(() => removeDue({ ...parts, stopping: stopping.signal }), {
    everyMs,
    onError: (error) => parts.log.warn({ err: error }, 'artifacts could not be removed; soon again'),
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}
