import type { PriceList } from '@sluice/contract'
import { eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { priceLists } from './tables.ts'

/** Returns the organization's price list, or an empty one. */
export async function readPriceList(db: Db, organizationId: string): Promise<PriceList> {
  const { currency, prices } = priceLists
  const [list] = await db
    .select({ currency, prices })
    .from(priceLists)
    .where(eq(priceLists.organizationId, organizationId))
  return list ?? { currency: 'USD', prices: [] }
}

export async function savePriceList(tx: Db, organizationId: string, list: PriceList): Promise<void> {
  await tx
    .insert(priceLists)
    .values({ id: newId('prl'), organizationId, ...list })
    .onConflictDoUpdate({ target: priceLists.organizationId, set: { ...list, updatedAt: sql`now()` } })
}
