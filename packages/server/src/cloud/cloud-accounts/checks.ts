import type { Logger } from 'pino'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import type { Cloud } from '../adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'
import { afterCheck, type CheckOutcome, type ConnectionState } from './connection-state.ts'
import { type Connected, leaseDue, saveCheckResult } from './connections.ts'
import type { CloudAccountRow } from './tables.ts'

/** Returns the regions in which an account is used. */
export type RegionsOf = (db: Db, account: Pick<CloudAccountRow, 'organizationId' | 'id'>) => Promise<string[]>

type CheckParts = {
  /** Connection that can read the accounts of all organizations. */
  db: Db
  /** Returns a connection scoped to one organization. */
  ofOrganization: (organizationId: string) => Db
  cloud: Cloud
  clock: () => Date
  regionsOfCloudAccount: RegionsOf
}

/** Number of accounts leased at a time, for which a stopping server waits, and of concurrent checks. */
const max = { claimed: 20, sideBySide: 10 }

/** Checks connections that are due. Returns their number. */
export async function checkDue(parts: CheckParts): Promise<number> {
  const due = await leaseDue(parts.db, 'checkAt', parts.clock(), max.claimed)
  for (let from = 0; from < due.length; from += max.sideBySide) {
    await Promise.all(due.slice(from, from + max.sideBySide).map((connected) => check(parts, connected)))
  }
  return due.length
}

async function check(parts: CheckParts, connected: Connected): Promise<void> {
  const { account, connection } = connected
  const db = parts.ofOrganization(account.organizationId)
  const outcome = await tryOut({ ...parts, db }, account)
  const standing = afterCheck(
    { ...account, ...connection, status: account.status },
    outcome,
    parts.clock(),
    Math.random(),
  )
  await db.transaction(async (tx) => {
    if (!(await saveCheckResult(tx, connected, standing)) || standing.status === account.status) return
    await recordChange(tx, serviceAuthor(account.organizationId), {
      action: 'cloud-accounts.check',
      resourceType: 'cloud-account',
      resourceId: account.id,
      details: { status: standing.status, ...(standing.error && { reason: standing.error.message }) },
      before: { status: account.status },
    })
  })
}

async function tryOut(
  { db, cloud, regionsOfCloudAccount }: Pick<CheckParts, 'db' | 'cloud' | 'regionsOfCloudAccount'>,
  account: CloudAccountRow & { cloudArn: string },
): Promise<CheckOutcome> {
  const { organizationId, cloudArn: roleArn, externalId } = account
  const regions = await regionsOfCloudAccount(db, account)
  try {
    return await cloud.checkConnection({ organizationId, roleArn, externalId }, regions)
  } catch (error) {
    if (error instanceof CloudTransientError) return { verdict: 'trouble', message: error.message }
    if (!(error instanceof CloudPermanentError)) throw error
    return { verdict: 'refused', reason: error.reason, message: error.message }
  }
}

/** Returns the connection state for a role that was just verified. Some regions may still be unavailable. */
export async function connectionStateOnConnect(
  parts: Omit<CheckParts, 'ofOrganization'>,
  account: CloudAccountRow,
  roleArn: string,
): Promise<ConnectionState> {
  const connecting = { ...account, cloudArn: roleArn }
  const outcome = await tryOut(parts, connecting)
  const now = parts.clock()
  // One failure is final here, because a person waits for the result.
  const before = { ...connecting, status: 'CONNECTED' as const, refusals: 1, error: null, checkAt: now }
  return afterCheck(before, outcome, now, Math.random())
}

/** Checks connections that are due every `everyMs` milliseconds until stopped. */
export const startChecks = (parts: CheckParts & { log: Logger }, everyMs = 5_000): PeriodicTask =>
  startPeriodicTask(() => checkDue(parts), {
    everyMs,
    onError: (error) =>
      parts.log.warn({ err: error }, 'connections of cloud accounts could not be checked; soon again'),
  })
