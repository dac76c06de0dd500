import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { identities, users } from '../organizations/tables.ts'

export type UserRow = typeof users.$inferSelect

export type PasswordIdentity = { identityId: string; userId: string; passwordHash: string | null }

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

/** `email` must be in lower case. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email))
  return row
}

const isPassword = eq(identities.type, 'EMAIL_PASSWORD')

/** `email` must be in lower case. */
export async function findPasswordByEmail(db: Db, email: string): Promise<PasswordIdentity | undefined> {
  const [row] = await db
    .select({ identityId: identities.id, userId: identities.userId, passwordHash: identities.passwordHash })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(users.email, email), isPassword))
  return row
}

export const hasPassword = async (db: Db, userId: string): Promise<boolean> =>
  (await db.$count(identities, and(eq(identities.userId, userId), isPassword))) > 0

/** Reports whether the user signs in at any identity provider. */
export const hasProvider = async (db: Db, userId: string): Promise<boolean> =>
  (await db.$count(identities, and(eq(identities.userId, userId), eq(identities.type, 'SINGLE_SIGN_ON')))) > 0

export const hasAnyPassword = async (db: Db): Promise<boolean> => {
  const found = await db.select({ id: identities.id }).from(identities).where(isPassword).limit(1)
  return found.length > 0
}

/** Locks out other transactions that set a first password, until this transaction ends. */
export async function lockPasswords(tx: Db): Promise<void> {
  await tx.execute(sql`lock table ${identities} in share row exclusive mode`)
}

export type NewUser = { email: string; fullName: string; globalRole?: UserRow['globalRole'] }

/** Inserts a user. `email` must be in lower case. */
export async function insertUser(tx: Db, user: NewUser): Promise<UserRow> {
  const [row] = await tx
    .insert(users)
    .values({ id: newId('usr'), ...user })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function updateUser(
  tx: Db,
  id: string,
  change: { fullName?: string; shortName?: string },
): Promise<UserRow | undefined> {
  const [row] = await tx
    .update(users)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning()
  return row
}

export async function setPassword(tx: Db, userId: string, passwordHash: string): Promise<void> {
  await tx
    .insert(identities)
    .values({ id: newId('idn'), userId, type: 'EMAIL_PASSWORD', passwordHash })
    .onConflictDoUpdate({
      target: identities.userId,
      targetWhere: sql`type = 'EMAIL_PASSWORD'`,
      set: { passwordHash, updatedAt: sql`now()` },
    })
}
