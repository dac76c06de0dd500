import { and, eq, gt, isNull, lt, lte, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { memberships, users } from '../organizations/tables.ts'
import { type DeviceSignInRow, deviceSignIns } from './tables.ts'

/** Hash of the device code or of the user code. */
export type CodeHash = { deviceCodeHash: string } | { userCodeHash: string }

const isOpen = (code: CodeHash, now: Date) =>
  and(
    'deviceCodeHash' in code
      ? eq(deviceSignIns.deviceCodeHash, code.deviceCodeHash)
      : eq(deviceSignIns.userCodeHash, code.userCodeHash),
    gt(deviceSignIns.expiresAt, now),
  )

type NewDeviceSignIn = Pick<
  DeviceSignInRow,
  'clientName' | 'deviceCodeHash' | 'expiresAt' | 'ipAddress' | 'userCodeHash'
>

export async function insertDeviceSignIn(db: Db, row: NewDeviceSignIn): Promise<void> {
  await db.insert(deviceSignIns).values({ id: newId('dsi'), ...row })
}

export async function findDeviceSignIn(db: Db, code: CodeHash, now: Date): Promise<DeviceSignInRow | undefined> {
  const [row] = await db.select().from(deviceSignIns).where(isOpen(code, now))
  return row
}

/** Stores the decision. Returns undefined if already decided or expired. */
export async function decideDeviceSignIn(
  tx: Db,
  userCodeHash: string,
  { now, ...decided }: { decision: 'APPROVED' | 'REJECTED'; membershipId: string; now: Date },
): Promise<DeviceSignInRow | undefined> {
  const [row] = await tx
    .update(deviceSignIns)
    .set({ ...decided, updatedAt: now })
    .where(and(isOpen({ userCodeHash }, now), isNull(deviceSignIns.decision)))
    .returning()
  return row
}

/** Deletes an approved sign-in and returns it, so that it can be used once. */
export async function consumeApproved(tx: Db, deviceCodeHash: string, now: Date) {
  const [row] = await tx
    .delete(deviceSignIns)
    .where(and(isOpen({ deviceCodeHash }, now), eq(deviceSignIns.decision, 'APPROVED')))
    .returning()
  if (!row?.membershipId) return undefined
  const [member] = await tx
    .select({ organizationId: memberships.organizationId, membershipId: memberships.id, email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.id, row.membershipId))
  return member && { row, member }
}

/** Records a poll. Returns false if it came too soon after the last one. */
export async function recordPoll(
  db: Db,
  id: string,
  { now, notAfter }: { now: Date; notAfter: Date },
): Promise<boolean> {
  const rows = await db
    .update(deviceSignIns)
    .set({ askedAt: now })
    .where(and(eq(deviceSignIns.id, id), or(isNull(deviceSignIns.askedAt), lte(deviceSignIns.askedAt, notAfter))))
    .returning({ id: deviceSignIns.id })
  return rows.length > 0
}

export async function deleteExpiredDeviceSignIns(db: Db, now: Date): Promise<void> {
  await db.delete(deviceSignIns).where(lt(deviceSignIns.expiresAt, now))
}
