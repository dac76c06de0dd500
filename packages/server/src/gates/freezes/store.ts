import { type AnyPgColumn, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overrideStore, ruleStore } from '../rule-store.ts'
import type { Freezes } from './machine.ts'
import { freezeOverrides, freezes } from './tables.ts'

export const freezeStore = ruleStore(freezes, 'freeze', 'frz')
export const overrides = overrideStore(freezeOverrides, freezeOverrides.freezeId, 'fro')

/**
 * Subquery: whether the organization has freezes. Built as a separate expression, because columns in the selection of a
 * query over one table lose the names of their tables.
 */
export const hasFreezes = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${freezes} where ${eq(freezes.organizationId, organizationId)})`

/** Loads the freezes and overrides of an organization. */
export async function freezesOf(db: Db, organizationId: string, now: Date): Promise<Freezes> {
  const known = await freezeStore.all(db, organizationId)
  return { freezes: known, overrides: await overrides.inForce(db, organizationId, now) }
}
