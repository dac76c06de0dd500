import type { PriceList } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import { documentIn } from './fields.ts'
import type { Style } from './output.ts'
import { printAnswer, printer } from './print.ts'

/** Shows what resources cost, as a file of it is written. */
export async function showPriceList(wishes: Where & Style): Promise<void> {
  printAnswer((await connect(wishes).getPriceList()).data, wishes)
}

/** Puts what a file says in the place of the price list. */
export async function setPriceList(file: string, wishes: Where & Style): Promise<void> {
  const data = documentIn(file) as PriceList // the service checks it
  const { data: list } = await connect(wishes).updatePriceList({ body: { data } })
  const out = printer(wishes)
  const count = list.prices.length
  out.say(`${count} ${count === 1 ? 'price' : 'prices'} in ${list.currency} from now on`)
  out.record(list)
}
