import type { FindPrice } from '../../delivery/rehearsals/extra-cost.ts'
import { costPerTime } from './cost.ts'
import { readPriceList } from './store.ts'

/** Returns the cost of a resource over time by the price list of the organization. */
export const findPrice: FindPrice = async (db, organizationId, resource) =>
  costPerTime(await readPriceList(db, organizationId), resource)
